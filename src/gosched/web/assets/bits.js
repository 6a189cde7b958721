// Bits that several parts use: a state's badge, a goroutine to click on, a strip of queued ones.

import { attribute, h, Pool, text } from "./dom.js";
import { LETTERS, WORDS } from "./format.js";

export function badge(state) {
  const node = h("span", { class: "badge" });
  set_badge(node, state);
  return node;
}

export function set_badge(node, state) {
  attribute(node, "data-state", state);
  text(node, LETTERS[state] ?? "");
  attribute(node, "title", WORDS[state] ?? "");
}

/** A goroutine's id, which chooses it. */
export function link(choose, id = 0) {
  const node = h("button", { type: "button", class: "g" });
  node.addEventListener("click", (event) => {
    event.stopPropagation();
    if (node.id_shown) choose(node.id_shown);
  });
  node.show = (number) => {
    node.id_shown = number;
    text(node, number ? `G${number}` : "");
  };
  if (id) node.show(id);
  return node;
}

/** The first of a queue, oldest first, and how many more there are. */
export function strip(choose, most) {
  const more = h("span", { class: "more" });
  const ids = h("span", { class: "ids" });
  const pool = new Pool(ids, (i) => {
    const node = link(choose);
    if (i === 0) node.classList.add("first");
    return node;
  });
  return {
    root: h("div", { class: "strip" }, ids, more),
    show(queued, total) {
      const shown = queued.length > most ? queued.slice(0, most) : queued;
      pool.show(shown, (node, id) => node.show(id));
      text(more, total > shown.length ? `+${total - shown.length}` : "");
    },
  };
}
