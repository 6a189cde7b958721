// What the server thinks is worth a look.

import { attribute, h, Pool, text } from "./dom.js";

export class Lints {
  constructor(root, choose) {
    this.pool = new Pool(root, () => {
      const button = h("button", { type: "button" });
      button.addEventListener("click", () => button.goroutine && choose(button.goroutine));
      return { root: h("li", {}, button), button, words: button.appendChild(h("span")) };
    });
  }

  show(moment) {
    this.pool.show(moment.lints, (node, [, level, words, g]) => {
      attribute(node.button, "data-level", String(level));
      node.button.goroutine = g;
      text(node.words, words);
    });
  }
}
