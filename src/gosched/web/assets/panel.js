// One goroutine: what it does, what it waits on, its stack with the source beside it, where it was started, and what it did before.

import { h } from "./dom.js";
import { clock, file, span, WORDS } from "./format.js";
import { badge, link } from "./bits.js";
import { ask } from "./stream.js";
import { G } from "./store.js";

const EVERY_MS = 1_000;

export class Panel {
  /** `describe`: finds out about one. */
  constructor(root, store, choose, chosen, describe = (id) => ask(`/goroutine/${id}`)) {
    this.describe = describe;
    this.root = root;
    this.store = store;
    this.choose = choose;
    this.chosen = chosen;
    this.id = 0;
    this.asked = 0;
    this.drawn = "";
    this.time = (t) => clock(t, 4);
  }

  open(id) {
    if (this.root.hidden) this.came_from = document.activeElement;
    this.id = id;
    this.asked = 0;
    this.drawn = "";
    this.root.hidden = false;
    this.root.replaceChildren(this.head(id, ""), h("p", { class: "quiet" }, "…"));
    this.chosen(id);
    this.look();
  }

  close() {
    if (this.root.hidden) return false;
    this.root.hidden = true;
    this.id = 0;
    this.chosen(0);
    this.came_from?.focus?.();
    return true;
  }

  /** With each moment that is shown: a new look once a second. */
  show(now, frozen) {
    if (this.id && !frozen && now - this.asked > EVERY_MS) this.look();
  }

  async look() {
    const id = this.id;
    this.asked = performance.now();
    let found;
    try {
      found = await this.describe(id);
    } catch (error) {
      found = { id, gone: error.message };
    }
    if (id !== this.id) return;
    const seen = JSON.stringify({ ...found, waits: Math.floor(found.waits ?? 0) });
    if (seen === this.drawn) return;
    this.drawn = seen;
    const held = this.root.contains(document.activeElement);
    this.root.replaceChildren(...(found.gone ? this.gone(found) : this.body(found)));
    if (held) this.root.querySelector(".close").focus();
  }

  head(id, name) {
    return h("header", {}, h("h2", {}, `Goroutine ${id}${name ? ` · ${name}` : ""}`),
      h("button", { type: "button", class: "close", "aria-label": "Close (Esc)", title: "Close (Esc)", onclick: () => this.close() }, "✕"));
  }

  gone(found) {
    const last = this.store.rows.get(found.id);
    return [this.head(found.id, last?.[G.name] ?? ""), h("p", { class: "quiet" }, found.gone)];
  }

  body(found) {
    const row = this.store.rows.get(found.id);
    const state = row?.[G.state] ?? (found.state in { running: 1 } ? "R" : "w");
    const parts = [
      this.head(found.id, found.name),
      h("p", { class: "past" }, badge(state), h("b", {}, found.state), h("span", { class: "quiet" }, [found.waits ? `for ${span(found.waits)}` : "", found.locked ? "locked to its thread" : ""].filter(Boolean).join(", "))),
    ];
    if (found.on.length) {
      parts.push(h("h3", {}, "Waits on"));
      for (const [what, holder] of found.on) parts.push(h("p", {}, h("code", {}, what), ...(holder ? [", held by ", link(this.choose, holder)] : [])));
    }
    if (found.stack) this.add_stack(parts, found);
    parts.push(h("h3", {}, "Started by"));
    parts.push(found.creator ? h("p", {}, link(this.choose, found.creator)) : h("p", { class: "quiet" }, "no goroutine: from outside"));
    if (found.origin) parts.push(frame(found.origin));
    if (found.history?.length) {
      parts.push(h("h3", {}, "What it was seen to do"));
      parts.push(h("div", { class: "past" }, ...found.history.slice(-20).reverse().flatMap((entry) => past(entry, this.store, this.time))));
    }
    return parts;
  }

  add_stack(parts, found) {
    parts.push(h("h3", {}, "Stack, innermost first"));
    if (!found.seen) parts.push(h("p", { class: "quiet" }, "This build cannot look at the frames of others while they run."));
    else if (!found.stack.length) parts.push(h("p", { class: "quiet" }, found.begun ? "No frame of the program's own." : "It has not begun."));
    parts.push(...found.stack.map(frame));
  }
}

function frame(place) {
  return h("div", { class: "frame" },
    h("div", {}, h("span", { class: "fn" }, place.function), " ", h("span", { class: "at", title: place.file }, place.file ? `${file(place.file)}:${place.line}` : "")),
    ...(place.source ? [h("pre", {}, place.source)] : []));
}

function past([t, state, reason], store, time) {
  const words = typeof reason === "string" ? reason : store.reason(reason) || WORDS[state];
  return [h("span", { class: "quiet mono" }, time(t)), badge(state), h("span", {}, words)];
}
