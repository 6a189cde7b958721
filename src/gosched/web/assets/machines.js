// Threads, the global queue, the netpoller and the timers.

import { attribute, h, hide, Pool, text } from "./dom.js";
import { count, span } from "./format.js";
import { link, strip } from "./bits.js";
import { M } from "./store.js";

const LETTER = { running: "R", spinning: "~", parked: "z", polling: "N", locked: "L", blocked: "S", starting: "…", retired: "–" };
const TINT = { running: "R", spinning: "r", blocked: "s", locked: "p", polling: "w" };
const WHAT = { running: "looks for work", spinning: "spinning", parked: "parked", polling: "polls", locked: "sleeps with", blocked: "in a call", starting: "starts", retired: "retired" };
const ROWS = 64;

export class Machines {
  constructor(parent, headline, choose) {
    this.headline = headline;
    this.pool = new Pool(parent, () => {
      const node = { name: h("b"), badge: h("span", { class: "badge" }), what: h("span", { class: "what" }), g: link(choose) };
      node.root = h("div", { class: "m", role: "listitem" }, node.badge, node.name, node.what, node.g);
      return node;
    });
  }

  show(moment) {
    const ms = moment.ms.length > ROWS ? moment.ms.slice(0, ROWS) : moment.ms;
    this.pool.show(ms, (node, m) => {
      const state = m[M.state];
      attribute(node.root, "data-state", state);
      attribute(node.badge, "data-state", TINT[state] ?? "");
      attribute(node.badge, "title", state);
      text(node.badge, LETTER[state] ?? "?");
      text(node.name, `M${m[M.id]}`);
      text(node.what, say(m));
      hide(node.g, !m[M.g]);
      node.g.show(m[M.g]);
    });
    const busy = moment.ms.filter((m) => m[M.p] >= 0).length;
    const blocked = moment.ms.filter((m) => m[M.state] === "blocked").length;
    text(this.headline, `${count(moment.ms.length)}, ${busy} with a P${blocked ? `, ${blocked} blocked in a call` : ""}`);
  }
}

function say(m) {
  if (m[M.state] === "blocked") return `${span(m[M.away])} in call`;
  if (m[M.state] === "running" && m[M.p] >= 0) return m[M.g] ? `P${m[M.p]}` : `P${m[M.p]} looks`;
  if (m[M.state] === "running" && m[M.g]) return "no P";
  return WHAT[m[M.state]] ?? m[M.state];
}

export class Tiles {
  constructor(queue, net, timers, choose) {
    this.queue = big(queue);
    this.net = big(net);
    this.timers = big(timers);
    this.strip = strip(choose, 16);
    queue.append(this.strip.root);
  }

  show(moment) {
    const [length, ids] = moment.queue;
    this.queue.say(count(length), length ? "can run" : "empty");
    this.strip.show(ids, length);
    this.net.say(...(moment.net < 0 ? ["–", "not recorded"] : [count(moment.net), moment.net === 1 ? "waits" : "wait"]));
    const [timers, due] = moment.timers;
    if (timers < 0) this.timers.say("–", "not recorded");
    else this.timers.say(count(timers), due === null ? "" : due < 0.0005 ? "next is due" : `next in ${span(due)}`);
  }
}

function big(parent) {
  const figure = h("span");
  const note = h("small");
  parent.append(h("div", { class: "big" }, figure, " ", note));
  return {
    say(value, words) {
      text(figure, value);
      text(note, words);
    },
  };
}
