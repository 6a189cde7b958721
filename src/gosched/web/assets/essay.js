// The essay: a chapter for each scenario, whose paragraphs play beside it, a question, and its answer by running.

import { attribute, h, hide, text } from "./dom.js";

const NOT_THERE = "With these rules that does not happen.";

export class Essay {
  /** `acts`: choose(id), play_to(mark, at_once), bend(policy). */
  constructor(root, scenarios, acts) {
    this.root = root;
    this.scenarios = scenarios;
    this.acts = acts;
    this.choice = h("select", { "aria-label": "Chapter", onchange: () => acts.choose(this.choice.value) },
      ...scenarios.map((scenario, i) => h("option", { value: scenario.id }, `${i + 1}. ${scenario.title}`)));
    this.before = h("button", { type: "button", title: "The chapter before", onclick: () => this.turn(-1) }, "‹");
    this.after = h("button", { type: "button", title: "The next chapter", onclick: () => this.turn(1) }, "›");
    this.body = h("div", { class: "essay" });
    root.append(h("div", { class: "chapters" }, this.before, this.choice, this.after), this.body);
    this.paragraphs = [];
  }

  turn(step) {
    const at = this.scenarios.findIndex((scenario) => scenario.id === this.choice.value) + step;
    if (this.scenarios[at]) this.acts.choose(this.scenarios[at].id);
  }

  open(id) {
    const scenario = this.scenarios.find((one) => one.id === id);
    this.scenario = scenario;
    this.choice.value = id;
    const at = this.scenarios.indexOf(scenario);
    this.before.disabled = at === 0;
    this.after.disabled = at === this.scenarios.length - 1;
    this.paragraphs = scenario.paragraphs.map(([words, mark]) => {
      const root = h("section", { class: "paragraph" }, h("p", {}, ...quoted(words)));
      const missing = h("span", { class: "quiet", role: "status", hidden: true }, NOT_THERE);
      if (mark) root.append(h("button", { type: "button", onclick: () => this.acts.play_to(mark) }, "▶ Play to here"), " ", missing);
      return { root, mark, missing, at: -1 };
    });
    this.answer = h("p", { class: "answer", role: "status", hidden: true });
    this.show_answer = false;
    const ask = h("button", { type: "button", class: "main", onclick: () => {
      this.show_answer = true;
      if (scenario.shows) this.acts.play_to(scenario.shows, true);
      this.reveal();
      bring(this.root, this.answer);
    } }, "Run it and see");
    const bends = scenario.bends.map(([label, policy, see]) => {
      const button = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.acts.bend(button.getAttribute("aria-pressed") === "true" ? { ...scenario.policy } : policy) }, label);
      return { button, policy: JSON.stringify(policy), root: h("div", { class: "bend" }, button, h("span", {}, see)) };
    });
    this.bends = bends;
    this.body.replaceChildren(h("h2", {}, scenario.title), ...this.paragraphs.map((p) => p.root),
      h("section", { class: "question" }, h("h3", {}, "Question"), h("p", {}, ...quoted(scenario.question)), ask, this.answer),
      ...(bends.length ? [h("h3", {}, "Switch it off"), h("div", { class: "bends" }, ...bends.map((bend) => bend.root))] : []));
    this.root.scrollTop = 0;
    this.told = "…";
  }

  /** What a run has told: its answer, when it is over; null if it has none. */
  tell(answer) {
    this.told = answer;
    this.reveal();
  }

  reveal() {
    if (!this.scenario) return;
    hide(this.answer, !this.show_answer);
    if (this.show_answer) text(this.answer, this.told ?? NOT_THERE);
  }

  show_rules({ policy }) {
    const now = JSON.stringify(policy);
    for (const bend of this.bends ?? []) attribute(bend.button, "aria-pressed", String(bend.policy === now));
  }

  /** Which paragraph is being played: the first whose mark is not past. */
  show(reel, at, playing) {
    let current = -1;
    this.paragraphs.forEach((p, i) => {
      if (p.mark && p.at < 0) p.at = reel.find(p.mark);
      if (current < 0 && p.at >= 0 && at <= p.at) current = i;
    });
    this.paragraphs.forEach((p, i) => attribute(p.root, "aria-current", i === current ? "true" : null));
    if (playing && current >= 0 && current !== this.current) bring(this.root, this.paragraphs[current].root);
    this.current = current;
  }

  /** A paragraph of which the run has nothing. */
  missing(mark) {
    for (const p of this.paragraphs) if (p.mark === mark) hide(p.missing, false);
  }

  /** Another run: its events are elsewhere. */
  forget() {
    for (const p of this.paragraphs) {
      p.at = -1;
      hide(p.missing, true);
    }
    this.told = "…";
    this.reveal();
  }
}

/** Scrolls the pane alone, not the page, and no more than it takes. */
function bring(pane, node) {
  const view = pane.getBoundingClientRect();
  const box = node.getBoundingClientRect();
  if (box.bottom > view.bottom) pane.scrollTop += box.bottom - view.bottom;
  if (box.top < view.top) pane.scrollTop -= view.top - box.top;
}

/** Words in backticks are code. */
function quoted(words) {
  return words.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}
