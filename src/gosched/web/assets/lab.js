// The laboratory: a script is played by the scheduler itself, in virtual time; the page has all of its frames and goes through them as it likes.

import { $, attribute, h, style, text } from "./dom.js";
import { brief, count, ORDER, SHORT, span, WORDS } from "./format.js";
import { badge } from "./bits.js";
import { FreePlay, Rules } from "./bench.js";
import { Compare, label } from "./compare.js";
import { Essay } from "./essay.js";
import { card, listen } from "./keys.js";
import { Log } from "./log.js";
import { Machines, Tiles } from "./machines.js";
import { Panel } from "./panel.js";
import { Procs } from "./procs.js";
import { Reel } from "./reel.js";
import { fetch_run, Server } from "./source.js";
import { E, P } from "./store.js";
import { Table } from "./table.js";
import { Timeline } from "./timeline.js";

const SPEEDS = [1, 2, 3, 5, 8, 15, 30, 60, 120, 250, 500];
const DENSE = 8; // Ps with a large card
const RING = 256; // Go's own places in a P's queue, and slice in s
const SLICE = 0.01;
const KEYS = [
  ["space", "play, pause"], ["→ ←", "an event on or back (with shift: ten)"], ["t", "to the next tick: a P begins a slice"], ["Home End", "to the beginning, to the end"],
  ["s", "spawn what is chosen in free play"], ["r", "reset"], ["+ −", "faster, slower"], ["/", "search"], ["1 … 6", "essay, free play, rules, events, goroutines, compare"], ["Esc", "close, clear"], ["?", "this card"],
];
const HOW = "The scheduler that runs here is gosched's own, in virtual time: nothing is acted. Read a chapter of the essay and play it, or choose GOMAXPROCS in free play and spawn goroutines. Watch goroutines (G) run on processors (P) by threads (M), be stolen, park and wake. Slow it down, step back, bend the rules, and compare.";
const OVER = { end: "the program has ended", idle: "nothing left to do", deadlock: "deadlock", cut: "cut off: too long" };

/** Virtual times, to the tenth of a microsecond. */
const fine = (t) => (t < 1 ? `${(t * 1e3).toFixed(4)} ms` : `${t.toFixed(6)} s`);

/** A turn lasts as long as its slice here, not a second; and what has just happened is what the event says, whichever way one came to it. */
class LabProcs extends Procs {
  update(card, p, moment, now) {
    this.moment = moment;
    super.update(card, p, moment, now);
    style(card.slice, "transform", `scaleX(${Math.min(1, p[P.held] / this.slice).toFixed(2)})`);
    attribute(card.bar, "class", p[P.held] > this.slice ? "slice long" : "slice");
    attribute(card.bar, "title", `in this turn for ${span(p[P.held])}; a slice ${this.slice < Infinity ? `is ${span(this.slice)}` : "has no end"}`);
  }

  mark(card, p) {
    const { moment } = this;
    const words = moment.p !== p[P.id] ? "" : moment.name === "STEAL" ? `⇠ stole ${moment.args[1]}` : moment.name === "PROC_STEAL" ? "taken away" : "";
    text(card.mark, words);
    attribute(card.mark, "class", words ? "mark on" : "mark");
  }
}

class Lab {
  constructor(source, about) {
    this.source = source;
    this.about = about;
    this.script = { scenario: about.scenarios[0].id, procs: 4, seed: 1, policy: {} };
    this.reel = new Reel(about);
    this.at = -1;
    this.goal = null; // a mark, or a time, that is to be reached when it is there
    this.playing = false;
    this.stop_at = Infinity;
    this.speed = 4;
    this.runs = 0;
    this.loops = 0;
    this.trouble = "";
    const choose = (id) => this.panel.open(id);
    this.store = { reason: (n) => this.reel.reason(n), get rows() { return lab().reel.rows; }, get events() { return lab().reel.events; } };
    const lab = () => this;
    this.procs = new LabProcs($("procs"), choose, ["ticks", "stole", "retaken"]);
    this.tiles = new Tiles($("queue"), $("net"), $("timers"), choose);
    this.machines = new Machines($("machines"), $("threads"), choose);
    this.table = new Table($("table"), this.store, choose, $("shown"));
    this.panel = new Panel($("panel"), this.store, choose, (id) => this.table.choose_shown(id), async (id) => this.reel.describe(id, this.at));
    this.panel.time = fine;
    this.log = new Log($("log"), this.store, choose, fine, (number) => this.seek(number - 1));
    this.essay = new Essay($("essay"), about.scenarios, { choose: (id) => this.open_chapter(id), play_to: (mark, fast) => this.play_to(mark, fast), bend: (policy) => this.bend_and_play(policy) });
    this.free = new FreePlay($("play"), about, {
      procs: (n) => this.change({ procs: n }), seed: (n) => this.change({ seed: n }), spawn: (...what) => this.spawn(...what), drop: (action) => this.drop(action),
    }, fine);
    this.rules = new Rules($("rules"), about, (policy) => this.bend(policy));
    this.compare = new Compare($("compare"), (run) => this.change({ policy: run.policy, procs: run.procs, seed: run.seed }));
    this.make_header();
    this.make_transport();
    this.timeline = new Timeline($("timeline"), (at) => this.seek(at), fine);
    this.wire();
  }

  make_header() {
    this.figures = ["total", "preempted", "events"].map((name) => {
      const value = h("dd");
      $("figures").append(h("div", {}, h("dt", {}, name), value));
      return value;
    });
    $("states").append(...ORDER.map((state) => h("span", {}, badge(state), SHORT[state])));
    this.chips = ORDER.map((state) => {
      const value = h("span", {}, "0");
      const chip = h("button", { type: "button", "aria-pressed": "false", title: `${WORDS[state]}: click to show only these`, onclick: () => {
        this.table.toggle(state);
        chip.setAttribute("aria-pressed", String(this.table.states.has(state)));
        this.tab("goroutines");
      } }, badge(state), value, h("span", { class: "quiet" }, SHORT[state]));
      $("counts").append(chip);
      return value;
    });
  }

  make_transport() {
    const button = (id, words, title, act) => h("button", { type: "button", id, title, "aria-label": title, onclick: act }, words);
    this.play_button = button("toggle", "▶", "Play, or pause (space)", () => this.toggle());
    this.speed_range = h("input", { type: "range", id: "speed", min: 0, max: SPEEDS.length - 1, value: this.speed, oninput: () => this.set_speed(Number(this.speed_range.value)) });
    this.speed_now = h("output", { for: "speed" });
    $("transport").append(
      button("first", "⇤", "To the beginning (Home)", () => this.seek(0)), button("back", "←", "An event back (←)", () => this.step(-1)), this.play_button,
      button("on", "→", "An event on (→)", () => this.step(1)), button("tick", "tick", "To the next tick: a P begins a slice (t)", () => this.tick()),
      button("last", "⇥", "To the end (End)", () => this.seek(this.reel.frames.length - 1)), h("label", { title: "How fast it plays (+ −)" }, "speed", this.speed_range, this.speed_now),
    );
    this.set_speed(this.speed);
  }

  wire() {
    $("start").addEventListener("click", () => this.toggle());
    $("reset").addEventListener("click", () => this.reset());
    $("help").addEventListener("click", () => $("keys").showModal());
    $("search").addEventListener("input", () => this.table.search($("search").value));
    card($("keys"), KEYS, h("h2", {}, "How to use it"), h("p", {}, HOW));
    const tabs = [...document.querySelectorAll("[role=tab]")];
    for (const tab of tabs) {
      tab.addEventListener("click", () => this.tab(tab.getAttribute("aria-controls")));
      tab.addEventListener("keydown", (event) => {
        const row = [...tab.parentNode.children];
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.tab(row[(row.indexOf(tab) + step + row.length) % row.length].getAttribute("aria-controls"), true);
      });
    }
    const by_number = Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => this.tab(tab.getAttribute("aria-controls"))]));
    listen({
      " ": () => this.toggle(), "?": () => $("keys").showModal(), "/": () => (this.tab("goroutines"), $("search").focus()),
      ArrowRight: (event) => this.step(event.shiftKey ? 10 : 1), ArrowLeft: (event) => this.step(event.shiftKey ? -10 : -1), t: () => this.tick(),
      Home: () => this.seek(0), End: () => this.seek(this.reel.frames.length - 1), s: () => this.free.go(), r: () => this.reset(),
      "+": () => this.set_speed(this.speed + 1), "-": () => this.set_speed(this.speed - 1), Escape: () => this.escape(), ...by_number,
    });
  }

  escape() {
    if ($("keys").open) return $("keys").close();
    if (this.panel.close()) return true;
    $("search").value = "";
    this.table.search("");
    document.activeElement?.blur?.();
    return true;
  }

  tab(name, focus = false) {
    const chosen = document.querySelector(`[aria-controls=${name}]`);
    for (const tab of chosen.parentNode.children) {
      const mine = tab === chosen;
      tab.setAttribute("aria-selected", String(mine));
      tab.tabIndex = mine ? 0 : -1;
      $(tab.getAttribute("aria-controls")).hidden = !mine;
    }
    if (focus) chosen.focus();
    if (name === "play" && this.script.scenario) this.free_play();
    if (name === "essay" && !this.script.scenario) this.open_chapter(this.essay.scenario?.id ?? this.about.scenarios[0].id);
    this.draw();
  }

  // ---- what is played ----

  open_chapter(id) {
    this.playing = false;
    const scenario = this.about.scenarios.find((one) => one.id === id);
    this.essay.open(id);
    this.compare.clear();
    this.play_script({ scenario: id, procs: scenario.procs, seed: 1, policy: { ...scenario.policy } });
  }

  free_play() {
    this.playing = false;
    this.compare.clear();
    this.play_script({ procs: this.free_procs ?? 4, seed: 1, policy: {}, actions: this.free_actions ?? [] });
  }

  reset() {
    if (this.script.scenario) this.open_chapter(this.script.scenario);
    else {
      this.free_actions = [];
      this.free_play();
    }
  }

  bend(policy) {
    this.change({ policy });
  }

  /** In the essay: what becomes of it is to be seen. */
  bend_and_play(policy) {
    this.bend(policy);
    this.playing = true;
    this.run_on();
  }

  /** The same goroutines, by other rules: from the beginning. Who was playing goes on. */
  change(what) {
    this.play_script({ ...this.script, ...what });
  }

  spawn(start, n, seconds) {
    if (this.script.scenario) this.free_play();
    const at = this.reel.frames[this.at]?.t ?? 0;
    const actions = [...this.script.actions, { at: Math.ceil(at * 1e9) / 1e9, start, n, seconds }];
    this.compare.clear(); // of other goroutines
    this.tab("play");
    this.play_script({ ...this.script, actions }, { time: at });
  }

  drop(action) {
    this.compare.clear();
    this.play_script({ ...this.script, actions: this.script.actions.filter((one) => one !== action) });
  }

  play_script(script, goal = null, words = "") {
    const run = ++this.runs;
    const before = this.last >= 0 ? { script: this.script, place: this.at } : null;
    this.script = script;
    this.trouble = words;
    if (!script.scenario) {
      this.free_actions = script.actions;
      this.free_procs = script.procs;
    }
    this.reel = new Reel(this.about);
    this.at = -1;
    this.goal = goal;
    this.stop_at = Infinity;
    this.essay.forget();
    this.essay.show_rules(script);
    this.rules.show(script.policy);
    this.free.show(script);
    this.free.complain(words);
    this.procs.ring = script.policy.ring ?? RING;
    this.procs.slice = script.policy.preempt === false ? Infinity : (script.policy.slice ?? SLICE);
    this.draw();
    const told = (piece) => this.told(piece);
    fetch_run(this.source, script, () => run === this.runs, told).catch((error) => {
      if (run !== this.runs) return;
      if (before && this.last < 0) this.play_script(before.script, { place: before.place }, error.message); // it was refused: what was played before still stands
      else this.went_wrong(error.message);
    });
  }

  told(piece) {
    this.reel.add(piece.frames);
    if (this.at < 0 && this.reel.frames.length) this.at = 0;
    if (piece.over) {
      this.reel.over = piece.over;
      this.timeline.drawn = 0; // all of it, now
      this.essay.tell(piece.answer ?? null);
      const { policy, procs, seed } = this.script;
      this.compare.add(JSON.stringify([policy, procs, seed]), { label: label(policy, this.about.switches), policy, procs, seed, summary: piece.summary, over: piece.over });
      if (piece.over.startsWith("error")) this.went_wrong(piece.over);
    }
    this.reach();
    this.draw();
  }

  went_wrong(words) {
    this.playing = false;
    this.trouble = words;
    this.free.complain(words);
    this.draw();
  }

  // ---- time ----

  get last() {
    return this.reel.frames.length - 1;
  }

  toggle() {
    this.trouble = "";
    this.stop_at = Infinity;
    if (!this.playing && this.at >= this.last && this.reel.over) this.at = 0;
    this.playing = !this.playing;
    this.draw();
    if (this.playing) this.run_on();
  }

  step(n) {
    this.trouble = "";
    this.playing = false;
    this.seek(this.at + n);
  }

  tick() {
    this.playing = false;
    this.seek(this.reel.next(this.at, (frame) => frame.tick));
  }

  seek(at) {
    if (this.last < 0) return;
    this.at = Math.max(0, Math.min(this.last, Math.round(at)));
    this.draw();
  }

  set_speed(speed) {
    this.speed = Math.max(0, Math.min(SPEEDS.length - 1, speed));
    this.speed_range.value = String(this.speed);
    text(this.speed_now, `${SPEEDS[this.speed]} events/s`);
  }

  /** So far, at the speed that is set; or at once. From where it stands, if that is before it, else from the beginning. */
  play_to(mark, at_once = false) {
    this.goal = { mark, at_once };
    this.reach();
  }

  /** What was to be reached may be there by now. */
  reach() {
    if (!this.goal) return;
    const { mark, at_once } = this.goal;
    const place = this.place_of(this.goal);
    if (place < 0 && !this.reel.over) return;
    this.goal = null;
    if (!mark || at_once) {
      this.seek(place < 0 ? this.last : place);
    } else if (place >= 0) {
      if (place <= this.at) this.at = 0;
      this.stop_at = place;
      this.playing = true;
    } else {
      this.essay.missing(mark);
    }
    if (this.playing) this.run_on();
  }

  /** Of a mark; or a place; or a time, at which goroutines are about to be started. -1: there is none, yet. */
  place_of({ mark, place, time }) {
    if (mark) return this.reel.find(mark);
    if (place !== undefined) return place <= this.last ? place : -1;
    const found = this.reel.frames.findIndex((frame) => frame.t >= time && frame.name === "GO_CREATE");
    return found < 0 ? -1 : Math.max(0, found - 1);
  }

  run_on() {
    let before = performance.now();
    let owed = 1; // the first comes at once
    const loop = ++this.loops; // one that still runs ends
    const on = (now) => {
      if (!this.playing || loop !== this.loops) return;
      owed += ((now - before) * SPEEDS[this.speed]) / 1e3;
      before = now;
      const steps = Math.floor(owed);
      if (steps) {
        owed -= steps;
        this.at = Math.min(this.at + steps, this.last, this.stop_at);
        if (this.at >= this.stop_at || (this.at >= this.last && this.reel.over)) this.playing = false;
        this.draw();
      }
      requestAnimationFrame(on);
    };
    requestAnimationFrame(on);
  }

  // ---- what is shown ----

  draw() {
    this.tell_state();
    if (this.at < 0) return;
    const moment = this.reel.at(this.at);
    const now = performance.now();
    this.shown = moment;
    ORDER.forEach((state, i) => text(this.chips[i], count(moment.counts[state] ?? 0)));
    [brief(moment.total), brief(moment.preemptions), `${count(this.at + 1)} of ${count(this.reel.frames.length)}${this.reel.over ? "" : "+"}`].forEach((value, i) => text(this.figures[i], value));
    text($("said").firstElementChild, fine(moment.t));
    text($("said").lastElementChild, moment.event[E.text]);
    $("procs").classList.toggle("dense", moment.ps.length > DENSE);
    this.procs.show(moment, now);
    this.tiles.show(moment);
    this.machines.show(moment);
    if (!$("log").hidden) this.log.show(moment);
    if (!$("goroutines").hidden) this.table.show(moment);
    if (!$("essay").hidden && this.script.scenario) this.essay.show(this.reel, this.at, this.playing);
    if (this.playing) this.panel.show(now, false);
    else if (this.panel.id) this.panel.look();
    this.timeline.show(this.reel.series, this.at, 0, this.last, moment.t, false, now);
  }

  tell_state() {
    const at_end = this.at >= this.last && this.reel.over;
    const words = this.trouble ? this.trouble : this.playing ? "playing" : this.at < 0 ? "loading" : at_end ? (OVER[this.reel.over] ?? this.reel.over) : "paused";
    text($("status"), words);
    attribute($("status"), "data-is", this.trouble ? "lost" : this.playing ? "live" : at_end ? "ended" : "paused");
    text($("start"), this.playing ? "Pause" : this.at > 0 ? (at_end ? "Again" : "Go on") : "Start");
    text(this.play_button, this.playing ? "❚❚" : "▶");
    attribute(this.play_button, "aria-pressed", String(this.playing));
  }
}

export async function begin(source) {
  if (location.search) history.replaceState(null, "", location.pathname); // the token is a cookie by now, and need not be seen
  let about;
  try {
    about = await source.about();
  } catch (error) {
    text($("status"), error.message);
    return;
  }
  const lab = new Lab(source, about);
  window.goschedLab = lab; // for tests and for the curious
  lab.open_chapter(about.scenarios[0].id);
}

if (!window.goschedAlone) begin(new Server());
