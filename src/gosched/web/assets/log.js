// What happened, the latest first, by kind and by words.

import { attribute, h, hide, Pool, text } from "./dom.js";
import { clock } from "./format.js";
import { link } from "./bits.js";
import { E } from "./store.js";

const KINDS = { run: "run", go: "start", end: "end", steal: "steal", retake: "P taken", preempt: "preempt", block: "blocked", wake: "wake", park: "park", thread: "thread", procs: "procs", gc: "gc", user: "log", more: "more", lost: "lost", P: "P", global: "global", timer: "timer", net: "network", yield: "yield", queue: "queue", deadlock: "deadlock" };
const SHOWN = 200;

export class Log {
  /** `time`: how times are written; `seek`: called with the number of an entry that was clicked on, if entries can be gone to. */
  constructor(root, store, choose, time = (t) => clock(t, 4), seek = null) {
    this.store = store;
    this.time = time;
    this.off = new Set();
    this.needle = "";
    this.seen = new Set();
    this.kinds = h("span", { class: "filters" });
    const search = h("input", { type: "search", placeholder: "Filter by words or G12", "aria-label": "Filter events", oninput: () => this.search(search.value) });
    this.kinds.append(search);
    this.entries = h("div", { class: "entries", role: "log", "aria-label": "Events, latest first", tabindex: "0" });
    this.pool = new Pool(this.entries, () => {
      const entry = { time: h("time"), kind: h("span", { class: "kind" }), words: h("span"), g: link(choose) };
      entry.root = h("div", { class: "entry" }, entry.time, entry.kind, h("span", {}, entry.g, entry.words));
      if (seek) entry.root.addEventListener("click", () => seek(entry.number));
      return entry;
    });
    root.append(this.kinds, this.entries);
    this.moment = null;
  }

  search(needle) {
    this.needle = needle.trim().toLowerCase();
    this.show(this.moment, true);
  }

  offer(kind) {
    this.seen.add(kind);
    const button = h("button", { type: "button", "aria-pressed": "true", onclick: () => {
      const off = this.off.delete(kind) ? false : Boolean(this.off.add(kind));
      button.setAttribute("aria-pressed", String(!off));
      this.show(this.moment, true);
    } }, KINDS[kind] ?? kind);
    this.kinds.insertBefore(button, this.kinds.lastChild);
  }

  show(moment, anyway = false) {
    if (!moment) return;
    const last = this.store.events.at(-1)?.[E.number] ?? 0;
    if (!anyway && last === this.last && moment.t === this.moment?.t && moment.last === this.moment?.last) return;
    this.moment = moment;
    this.last = last;
    const found = [];
    const id = /^g?(\d+)$/.exec(this.needle)?.[1];
    for (let i = this.store.events.length - 1; i >= 0 && found.length < SHOWN; i--) {
      const event = this.store.events[i];
      if (!this.seen.has(event[E.kind])) this.offer(event[E.kind]);
      if ((moment.last === undefined ? event[E.t] > moment.t + 1e-3 : event[E.number] > moment.last) || this.off.has(event[E.kind])) continue;
      if (this.needle && (id ? event[E.g] !== Number(id) : !event[E.text].toLowerCase().includes(this.needle))) continue;
      found.push(event);
    }
    this.pool.show(found, (entry, event) => {
      entry.number = event[E.number];
      attribute(entry.root, "data-kind", event[E.kind]);
      attribute(entry.root, "aria-current", event[E.number] === moment.last ? "true" : null);
      text(entry.time, this.time(event[E.t]));
      text(entry.kind, KINDS[event[E.kind]] ?? event[E.kind]);
      text(entry.words, event[E.text]);
      hide(entry.g, !event[E.g]);
      entry.g.show(event[E.g]);
    });
  }
}
