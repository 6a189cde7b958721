// Channels, locks and whatever else somebody waits on, with who holds it and who waits.

import { h } from "./dom.js";
import { count, span } from "./format.js";
import { link } from "./bits.js";
import { T } from "./store.js";

const NAMED = 8;

export class Things {
  constructor(root, store, choose) {
    this.store = store;
    this.choose = choose;
    this.body = h("tbody");
    this.note = h("div", { class: "empty" });
    this.drawn = "";
    root.append(h("div", { class: "list" },
      h("table", {}, h("thead", {}, h("tr", {}, ...["What", "Held by", "Waits", "Longest", "Who"].map((label, i) => h("th", { class: i === 2 || i === 3 ? "num" : null, scope: "col" }, label)))), this.body), this.note));
  }

  show(waits) {
    const key = JSON.stringify([waits.things, waits.more, waits.untold]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.body.replaceChildren(...waits.things.map((thing) => this.row(thing, waits)));
    this.note.textContent = waits.things.length ? (waits.more ? `… and ${count(waits.more)} more` : "") : (waits.untold ?? "Nobody waits on a channel or a lock.");
  }

  row(thing, waits) {
    const holder = thing[T.holder];
    const who = thing[T.ids].slice(0, NAMED).flatMap((id) => [link(this.choose, id), " "]);
    if (thing[T.count] > NAMED) who.push(`+${count(thing[T.count] - NAMED)}`);
    return h("tr", { class: thing[T.cycle] ? "cycle" : null },
      h("td", {}, h("code", {}, thing[T.text].replace(/^<|>$/g, "")), h("div", { class: "quiet" }, this.store.reason(thing[T.reason]))),
      h("td", {}, ...(holder ? [link(this.choose, holder), ` ${waits.names[holder] ?? ""}`] : [h("span", { class: "quiet" }, "–")])),
      h("td", { class: "num" }, count(thing[T.count])), h("td", { class: "num" }, span(thing[T.longest])), h("td", {}, ...who));
  }
}
