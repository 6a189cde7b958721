// A card for each P: what it runs, its ring of 256, runnext, and what it has stolen and lost.

import { attribute, h, hide, Pool, s, style, text } from "./dom.js";
import { brief, span } from "./format.js";
import { badge, link, strip } from "./bits.js";
import { G, P } from "./store.js";

const AROUND = 2 * Math.PI * 33;
const MARK_MS = 1_600;
const FIGURES = {
  ticks: (p) => brief(p[P.turns]),
  stole: (p) => (p[P.steals] ? `${brief(p[P.stolen])} in ${brief(p[P.steals])}` : "0"),
  handoffs: (p) => brief(p[P.handoffs]),
  retaken: (p) => brief(p[P.retakes]),
  timers: (p) => brief(p[P.timers]),
};

export class Procs {
  /** `figures`: which of them stand at the bottom of each card. */
  constructor(parent, choose, figures = Object.keys(FIGURES)) {
    this.figures = figures;
    this.ring = 256;
    this.pool = new Pool(parent, () => this.make(choose));
  }

  make(choose) {
    const card = { seen: null };
    card.name = h("b");
    card.status = h("span", { class: "quiet" });
    card.mark = h("span", { class: "mark" });
    card.fill = s("circle", { class: "fill", cx: 42, cy: 42, r: 33, "stroke-dasharray": `0 ${AROUND}` });
    card.length = s("text", { x: 42, y: 46 });
    card.unit = s("text", { x: 42, y: 58, class: "unit" }, "queued");
    card.dial = s(
      "svg", { class: "dial", viewBox: "0 0 84 84", role: "img" },
      s("circle", { class: "track", cx: 42, cy: 42, r: 33 }), s("circle", { class: "slots", cx: 42, cy: 42, r: 33 }), card.fill, card.length, card.unit,
    );
    card.badge = badge("R");
    card.runs = link(choose);
    card.what = h("span", { class: "name" });
    card.next = link(choose);
    card.has_next = h("span", { class: "runs" }, h("span", { class: "quiet" }, "next"), card.next);
    card.strip = strip(choose, 14);
    card.slice = h("i");
    card.bar = h("div", { class: "slice" }, card.slice);
    card.figures = this.figures.map((what) => [h("b"), what]);
    card.root = h(
      "article", { class: "card proc", role: "listitem" },
      h("header", {}, card.name, card.status, card.mark),
      card.dial,
      h("div", { class: "lines" }, h("div", { class: "runs" }, card.badge, card.runs, card.what), card.has_next, card.strip.root),
      card.bar,
      h("footer", {}, ...card.figures.map(([value, what]) => h("span", {}, `${what} `, value))),
    );
    return card;
  }

  show(moment, now) {
    this.pool.show(moment.ps, (card, p) => this.update(card, p, moment, now));
  }

  update(card, p, moment, now) {
    const running = p[P.g] ? moment.rows.get(p[P.g]) : null;
    text(card.name, `P${p[P.id]}`);
    text(card.status, p[P.status] === "running" ? (p[P.m] >= 0 ? `on M${p[P.m]}` : "between threads") : p[P.status]);
    attribute(card.root, "data-status", p[P.status]);
    attribute(card.root, "aria-label", `P${p[P.id]}, ${p[P.status]}, ${Math.max(0, p[P.length])} queued`);
    attribute(card.fill, "stroke-dasharray", `${((AROUND * Math.min(this.ring, Math.max(0, p[P.length]))) / this.ring).toFixed(1)} ${AROUND.toFixed(1)}`);
    text(card.length, p[P.length] < 0 ? "–" : String(p[P.length]));
    attribute(card.badge, "data-state", running?.[G.state] ?? (p[P.g] ? "R" : ""));
    hide(card.badge, !p[P.g]);
    hide(card.runs, !p[P.g]);
    card.runs.show(p[P.g]);
    text(card.what, p[P.g] ? (running?.[G.name] ?? moment.names[p[P.g]] ?? "") : p[P.status] === "idle" ? "nothing to run" : "looks for work");
    attribute(card.what, "class", p[P.g] ? "name" : "name quiet");
    hide(card.has_next, !p[P.next]);
    card.next.show(p[P.next]);
    card.strip.show(p[P.ring], p[P.length]);
    const late = p[P.held] >= 0.1;
    style(card.slice, "transform", `scaleX(${Math.min(1, p[P.held]).toFixed(2)})`);
    attribute(card.bar, "class", late ? "slice long" : "slice");
    attribute(card.bar, "title", late ? `in one turn for ${span(p[P.held])}` : "how long the turn lasts, up to 1 s");
    for (const [value, what] of card.figures) text(value, FIGURES[what](p));
    this.mark(card, p, now);
  }

  /** What has just happened to it stays readable for a moment. */
  mark(card, p, now) {
    const seen = card.seen;
    card.seen = p;
    if (seen && seen[P.id] === p[P.id]) {
      const stolen = p[P.stolen] - seen[P.stolen];
      if (stolen > 0) this.say(card, `⇠ stole ${stolen}`, now);
      else if (p[P.retakes] > seen[P.retakes]) this.say(card, p[P.forced] > seen[P.forced] ? "taken by force" : "retaken", now);
    }
    if (card.until && now > card.until) {
      card.until = 0;
      card.mark.classList.remove("on");
    }
  }

  say(card, what, now) {
    text(card.mark, what);
    card.mark.classList.add("on");
    card.until = now + MARK_MS;
  }
}
