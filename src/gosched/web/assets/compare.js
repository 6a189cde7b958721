// Runs of the same goroutines by different rules, side by side.

import { h } from "./dom.js";
import { count, span } from "./format.js";
import { words } from "./bench.js";

export class Compare {
  /** `again`: called with the rules and the number of Ps of a run that is to be shown again. */
  constructor(root, again) {
    this.root = root;
    this.again = again;
    root.classList.add("compare");
    this.clear();
  }

  clear() {
    this.runs = new Map();
    this.draw("");
  }

  add(key, run) {
    this.runs.set(key, run);
    this.draw(key);
  }

  draw(current) {
    if (!this.runs.size) {
      this.root.replaceChildren(h("p", { class: "quiet" }, "A run that has ended is noted here. Change the rules, GOMAXPROCS or the seed, and the next one stands beside it."));
      return;
    }
    const longest = Math.max(...[...this.runs.values()].map((run) => run.summary.end));
    const rows = [...this.runs].map(([key, run]) => {
      const s = run.summary;
      const bar = h("i", { class: "bar" });
      bar.style.width = `${Math.max(1, (100 * s.end) / longest)}%`;
      return h("article", { class: "run", "aria-current": key === current ? "true" : null },
        h("button", { type: "button", title: "Play this one again", onclick: () => this.again(run) }, run.label), h("span", { class: "quiet" }, ` ${run.procs} P${run.procs === 1 ? "" : "s"}, seed ${run.seed}`),
        h("p", { class: "done" }, h("b", {}, WHEN[run.over]?.(span(s.end)) ?? run.over), bar),
        h("dl", {}, ...fact("Ps busy", `${Math.round(100 * s.busy)} %`), ...fact("stolen", s.steals ? `${count(s.stolen)} in ${count(s.steals)}` : "0"), ...fact("preempted", count(s.preemptions)),
          ...fact("threads", count(s.threads)), ...fact("waited for a turn", `${span(s.median)} (median), ${span(s.longest)} (longest)`)));
    });
    this.root.replaceChildren(h("h2", {}, "The same goroutines, by different rules"), ...rows);
  }
}

const WHEN = { end: (t) => `done after ${t}`, idle: (t) => `done after ${t}`, deadlock: (t) => `deadlock after ${t}`, cut: (t) => `cut off after ${t}` };
const fact = (name, words) => [h("dt", {}, name), h("dd", {}, words)];

/** Rules in words. */
export function label(policy, switches) {
  const names = Object.fromEntries(switches.map(([name, said]) => [name, said]));
  const parts = Object.entries(policy).map(([name, value]) => (value === false ? `no ${short(name, names)}` : value === true ? short(name, names) : `${name} ${words(name, value)}`));
  return parts.length ? parts.join(", ") : "Go's rules";
}

const SHORT = { runnext: "runnext", inherit: "inheritance", steal: "stealing", preempt: "preemption", central: "central queue", lifo: "newest first" };
const short = (name, names) => SHORT[name] ?? names[name] ?? name;
