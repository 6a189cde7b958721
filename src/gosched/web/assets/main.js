// The page: what comes from the stream goes to the store, and from there, unless the page is frozen, to the parts.

import { $, attribute, h, text } from "./dom.js";
import { brief, count, ORDER, SHORT, WORDS } from "./format.js";
import { badge } from "./bits.js";
import { Charts } from "./charts.js";
import { Graph } from "./graph.js";
import { card, listen } from "./keys.js";
import { Lints } from "./lints.js";
import { Log } from "./log.js";
import { Machines, Tiles } from "./machines.js";
import { Panel } from "./panel.js";
import { Procs } from "./procs.js";
import { Store } from "./store.js";
import { ask, Stream } from "./stream.js";
import { Table } from "./table.js";
import { Things } from "./things.js";
import { Timeline } from "./timeline.js";

const KEPT_TIMES = 600;

class Page {
  constructor() {
    this.store = new Store();
    this.frozen = null; // the number of the frame that is shown, while the page does not follow
    this.state = "connecting";
    this.times = [];
    this.updates = 0;
    const choose = (id) => this.panel.open(id);
    this.procs = new Procs($("procs"), choose);
    this.tiles = new Tiles($("queue"), $("net"), $("timers"), choose);
    this.machines = new Machines($("machines"), $("threads"), choose);
    this.lints = new Lints($("lints"), choose);
    this.table = new Table($("table"), this.store, choose, $("shown"));
    this.panel = new Panel($("panel"), this.store, choose, (id) => this.table.choose_shown(id));
    this.graph = new Graph($("graph"), choose);
    this.things = new Things($("things"), this.store, choose);
    this.log = new Log($("log"), this.store, choose);
    this.charts = new Charts($("chart-queues"), $("chart-latency"), $("queues-now"), $("latency-now"));
    this.timeline = new Timeline($("timeline"), (value) => this.seek(value));
    this.figures = ["turns/s", "preempted", "look"].map((label) => {
      const value = h("dd");
      $("figures").append(h("div", {}, h("dt", {}, label), value));
      return value;
    });
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
    this.open_tab = "goroutines";
    this.wire();
  }

  wire() {
    $("pause").addEventListener("click", () => this.pause());
    $("help").addEventListener("click", () => $("keys").showModal());
    $("search").addEventListener("input", () => this.table.search($("search").value));
    card($("keys"));
    const tabs = [...document.querySelectorAll("[role=tab]")];
    tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.tab(tab.getAttribute("aria-controls")));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.tab(tabs[(i + step + tabs.length) % tabs.length].getAttribute("aria-controls"), true);
      });
    });
    const by_number = Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => this.tab(tab.getAttribute("aria-controls"), true)]));
    listen({
      " ": () => this.pause(), "?": () => $("keys").showModal(), "/": () => (this.tab("goroutines"), $("search").focus()),
      ArrowLeft: (event) => this.step(event.shiftKey ? -10 : -1), ArrowRight: (event) => this.step(event.shiftKey ? 10 : 1), End: () => this.follow(),
      ArrowUp: () => this.open_tab === "goroutines" && this.table.move(-1), ArrowDown: () => this.open_tab === "goroutines" && this.table.move(1),
      Escape: () => this.escape(), ...by_number,
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
    this.open_tab = name;
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const mine = tab.getAttribute("aria-controls") === name;
      tab.setAttribute("aria-selected", String(mine));
      tab.tabIndex = mine ? 0 : -1;
      $(tab.getAttribute("aria-controls")).hidden = !mine;
      if (mine && focus) tab.focus();
    }
    this.show_again();
  }

  // ---- time ----

  pause() {
    if (this.frozen === null) this.seek(this.store.frames - 1);
    else this.follow();
  }

  follow() {
    this.frozen = null;
    this.show_again();
    this.tell_state();
  }

  step(n) {
    const at = this.frozen ?? this.store.frames - 1;
    this.seek(Math.round(Math.max(0, Math.min(this.store.frames - 1, at + n))));
  }

  seek(at) {
    if (!this.store.frames) return;
    this.frozen = Math.round(at);
    this.shown = this.store.at(this.frozen);
    this.draw(this.shown);
    this.tell_state();
  }

  show_again() {
    const moment = this.frozen === null ? this.store.last : this.shown;
    if (moment) this.draw(moment);
  }

  // ---- what comes ----

  told(kind, data, parsing) {
    const start = performance.now();
    if (kind === "waits") {
      this.store.waits = data;
      if (this.frozen === null) this.draw_waits();
    } else {
      const before = this.store.frames;
      const moment = this.store.take(data);
      if (this.frozen === null) this.draw(moment);
      else {
        this.frozen = Math.max(0, this.frozen + this.store.frames - before - 1); // what was forgotten moves the rest
        this.draw_time(this.shown);
      }
      this.updates += 1;
      this.times.push(performance.now() - start + parsing);
      if (this.times.length > KEPT_TIMES) this.times.shift();
    }
  }

  became(state) {
    this.state = state;
    this.tell_state();
  }

  tell_state() {
    const words = this.frozen !== null ? "paused" : { live: "live", lost: "connection lost", ended: "program has ended", recorded: "recording" }[this.state] ?? this.state;
    attribute($("status"), "data-is", this.frozen !== null ? "paused" : this.state);
    text($("status"), words);
    text($("pause"), this.frozen === null ? "Pause" : "Resume");
    attribute($("pause"), "aria-pressed", String(this.frozen !== null));
  }

  // ---- what is shown ----

  draw(moment) {
    const now = performance.now();
    ORDER.forEach((state, i) => text(this.chips[i], count(moment.counts[state] ?? 0)));
    const figures = [brief(moment.rate), brief(moment.preemptions), `${moment.cost.toFixed(1)} ms`];
    figures.forEach((figure, i) => text(this.figures[i], figure));
    this.lints.show(moment);
    this.procs.show(moment, now);
    this.tiles.show(moment);
    this.machines.show(moment);
    this.charts.show(this.store.series, moment.t);
    if (this.open_tab === "goroutines") this.table.show(moment);
    else if (this.open_tab === "log") this.log.show(moment);
    else this.draw_waits();
    this.panel.show(now, this.frozen !== null || this.state === "ended");
    this.draw_time(moment);
  }

  draw_waits() {
    if (this.open_tab === "graph") this.graph.show(this.store.waits);
    if (this.open_tab === "things") this.things.show(this.store.waits);
  }

  draw_time(moment) {
    const last = this.store.frames - 1;
    this.timeline.show(this.store.series, this.frozen ?? last, 0, last, moment.t, this.frozen === null, performance.now());
  }
}

async function begin() {
  if (location.search) history.replaceState(null, "", "/"); // the token is a cookie by now, and need not be seen
  const page = new Page();
  window.goschedView = page; // for tests and for the curious
  try {
    page.store.about = await ask("/about");
  } catch (error) {
    page.became("lost");
    text($("title"), error.message);
    return;
  }
  text($("title"), page.store.about.title);
  if (!page.store.about.live) {
    $("queue").querySelector("h2").textContent = "Can run, in any queue";
    page.store.waits.untold = "A trace does not tell on what goroutines wait.";
  }
  document.title = `${page.store.about.title.split(" · ")[0]} · gosched view`;
  new Stream((...what) => page.told(...what), (state) => page.became(state === "ended" && !page.store.about.live ? "recorded" : state)).open();
}

begin();
