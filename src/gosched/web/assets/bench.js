// The bench: what is played. Ps, goroutines of several kinds, and the rules of the scheduler, each of which can be switched off.

import { attribute, h, hide, text } from "./dom.js";
import { count } from "./format.js";

export class FreePlay {
  /** `acts`: procs(n), seed(n), spawn(kind, n, seconds), drop(action). */
  constructor(root, about, acts, time) {
    this.kinds = Object.fromEntries(about.kinds.map(([name, title, what, seconds, starts]) => [name, { title, what, seconds, starts }]));
    this.time = time;
    this.kind = about.kinds[0][0];
    this.acts = acts;
    this.most = about.limits.goroutines;
    this.longest = about.limits.seconds;
    this.buttons = about.kinds.map(([name, title, what]) => h("button", { type: "button", "data-kind": name, "aria-pressed": "false", onclick: () => this.choose(name) }, title, h("small", {}, what)));
    this.procs = h("input", { type: "range", id: "procs-range", min: 1, max: about.limits.procs, value: 4, oninput: () => text(this.procs_now, this.procs.value), onchange: () => acts.procs(Number(this.procs.value)) });
    this.procs_now = h("output", { for: "procs-range" }, "4");
    this.seed = h("input", { type: "number", id: "seed", min: 0, max: 2 ** 31, value: 1, onchange: () => acts.seed(Math.max(0, Math.round(Number(this.seed.value) || 0))) });
    this.n = h("input", { type: "number", id: "spawn-n", min: 1, max: about.limits.goroutines, value: 20, "aria-label": "How many" });
    this.ms = h("input", { type: "number", id: "spawn-ms", min: 0, max: 1e3 * this.longest, step: "any", "aria-label": "Milliseconds each" });
    this.spawn = h("button", { type: "button", class: "main", id: "spawn", title: "Start them at the time that is shown (s)", onclick: () => this.go() }, "Spawn");
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.list = h("ul", { class: "actions" });
    this.none = h("p", { class: "quiet" }, "Nothing yet. Choose a kind, say how many, and spawn them: main starts them on the P on which it runs.");
    root.append(
      h("div", { class: "fields" }, h("label", { for: "procs-range" }, "GOMAXPROCS"), h("div", { class: "slider" }, this.procs, this.procs_now), h("label", { for: "seed" }, "Seed"), this.seed),
      h("h3", {}, "Spawn goroutines"), h("div", { class: "kinds", role: "group", "aria-label": "Kind" }, ...this.buttons),
      h("div", { class: "spawn" }, this.n, h("span", {}, "goroutines,"), this.ms, h("span", {}, "ms each"), this.spawn), this.trouble,
      h("h3", {}, "Started"), this.none, this.list,
    );
    this.choose(this.kind);
  }

  choose(name) {
    this.kind = name;
    for (const button of this.buttons) attribute(button, "aria-pressed", String(button.dataset.kind === name));
    this.ms.value = String(Math.round(this.kinds[name].seconds * 1e6) / 1e3);
  }

  go() {
    const n = Math.round(Number(this.n.value));
    const seconds = Number(this.ms.value) / 1e3;
    if (!(n >= 1 && n <= this.most)) return this.complain(`How many? 1 to ${count(this.most)}.`);
    if (!this.ms.value || !(seconds >= 0 && seconds <= this.longest)) return this.complain(`How many milliseconds each? 0 to ${count(1e3 * this.longest)}.`);
    this.acts.spawn(this.kind, n, seconds);
  }

  complain(words) {
    text(this.trouble, words);
    hide(this.trouble, !words);
  }

  show(script) {
    this.procs.value = script.procs;
    text(this.procs_now, String(script.procs));
    this.seed.value = String(script.seed);
    const actions = script.actions ?? [];
    hide(this.none, actions.length > 0);
    this.list.replaceChildren(...actions.map((action) => h("li", {}, h("time", {}, this.time(action.at)),
      h("span", {}, action.procs ? `GOMAXPROCS ${action.procs}` : `${count(action.n)} × ${this.kinds[action.start].title}`),
      h("button", { type: "button", title: "Take this back", "aria-label": "Take this back", onclick: () => this.acts.drop(action) }, "✕"))));
  }
}

export class Rules {
  /** `bend`: called with what differs from Go's rules. */
  constructor(root, about, bend) {
    this.own = Object.fromEntries(about.switches.map(([name, , , value]) => [name, value]));
    this.inputs = {};
    const made = about.switches.map(([name, label, choices]) => {
      const on = typeof this.own[name] === "boolean";
      const input = on
        ? h("input", { type: "checkbox", id: `rule-${name}` })
        : h("select", { id: `rule-${name}` }, ...choices.map((choice) => h("option", { value: String(choice) }, words(name, choice))));
      input.addEventListener("change", () => bend(this.read()));
      this.inputs[name] = input;
      const title = h("span", {}, label);
      input.title_shown = title;
      return h("label", { for: `rule-${name}`, class: on ? null : "number" }, ...(on ? [input, title] : [title, input]));
    });
    root.classList.add("rules");
    root.append(h("h2", {}, "Go's rules, to be bent"), h("p", { class: "quiet" }, "Switch a mechanism off and see what it was for. The run begins anew, with the same goroutines and the same seed."),
      ...made, h("p", {}, h("button", { type: "button", id: "go-rules", onclick: () => bend({}) }, "All as Go has it")));
  }

  read() {
    const found = {};
    for (const [name, input] of Object.entries(this.inputs)) {
      const value = input.type === "checkbox" ? input.checked : Number(input.value);
      if (value !== this.own[name]) found[name] = value;
    }
    return found;
  }

  show(policy) {
    for (const [name, input] of Object.entries(this.inputs)) {
      const value = policy[name] ?? this.own[name];
      if (input.type === "checkbox") input.checked = value;
      else {
        if (![...input.options].some((option) => option.value === String(value))) input.append(h("option", { value: String(value) }, words(name, value)));
        input.value = String(value);
      }
      attribute(input.title_shown, "class", name in policy ? "bent" : null);
    }
  }
}

/** A rule's number. */
export function words(name, value) {
  if (name === "slice") return `${value * 1e3} ms`;
  if (name === "share") return value === 0.01 ? "one" : value === 1 ? "all" : value === 0.5 ? "half" : `${value * 100} %`;
  if (name === "fairness") return value ? String(value) : "never";
  if (name === "spin") return value ? String(value) : "always";
  return count(value);
}
