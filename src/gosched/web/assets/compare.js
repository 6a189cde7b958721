// Runs of the same goroutines by different rules, side by side.

import { h } from "./dom.js";
import { count, span } from "./format.js";

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
      return h("tr", { "aria-current": key === current ? "true" : null, onclick: () => this.again(run) },
        h("td", {}, h("b", {}, run.label), h("div", { class: "quiet" }, `${run.procs} P${run.procs === 1 ? "" : "s"}, seed ${run.seed}`)),
        h("td", { class: "num" }, run.over === "deadlock" ? "deadlock" : span(s.end), bar), num(`${Math.round(100 * s.busy)} %`), num(span(s.longest)), num(span(s.median)),
        num(s.steals ? `${count(s.stolen)} in ${count(s.steals)}` : "0"), num(count(s.preemptions)), num(count(s.threads)));
    });
    this.root.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ...["Rules", "Done after", "Ps busy", "Longest wait for a turn", "Median", "Stolen", "Stopped", "Threads"].map((name, i) => h("th", { class: i ? "num" : null }, name)))),
      h("tbody", {}, ...rows)));
  }
}

const num = (words) => h("td", { class: "num" }, words);

/** Rules in words. */
export function label(policy, switches) {
  const names = Object.fromEntries(switches.map(([name, words]) => [name, words]));
  const parts = Object.entries(policy).map(([name, value]) => (value === false ? `no ${short(name, names)}` : value === true ? short(name, names) : `${name} ${value}`));
  return parts.length ? parts.join(", ") : "Go's rules";
}

const SHORT = { runnext: "runnext", inherit: "inheritance", steal: "stealing", preempt: "preemption", central: "central queue", lifo: "newest first" };
const short = (name, names) => SHORT[name] ?? names[name] ?? name;
