// The laboratory without a server (gosched lab export): recorded runs at once, and the scheduler itself, in a Python in a worker, when that has come.

import { fetch_part } from "./shelf.js"; // first: by it lab.js knows that there is no server
import { $, attribute, h, text } from "./dom.js";
import { begin } from "./lab.js";
import { unpack, unpack_json } from "./unpack.js";

const NONE = "This page has recorded runs only. `gosched lab` plays everything.";

/** The same run, whoever wrote its rules down in which order. */
const key = ({ scenario, procs, seed, policy }) => JSON.stringify([scenario, procs, seed, Object.entries(policy).sort()]);

class Alone {
  /** `state`: called with words, and with what they are: paused, live or lost. */
  constructor(state) {
    this.state = state;
    this.asked = new Map(); // by number; 0 is the start
    this.questions = 0;
    this.recorded = new Map();
    this.ready = new Promise((done, failed) => Object.assign(this, { done, failed }));
    this.ready.catch(() => {}); // it is said when somebody asks for a run
    this.shown = new Promise((done) => (this.show = done));
  }

  async about() {
    this.site = await unpack_json(await fetch_part("site", 1));
    for (const [script, name] of this.site.recorded) this.recorded.set(key(script), { name, run: null });
    return this.site.lab;
  }

  async frames(script, first, n) {
    const found = script.scenario ? this.recorded.get(key(script)) : null;
    if (!found) return this.ask(script, first, n);
    found.run ??= this.part(found.name).then(unpack_json);
    const { frames, over, summary, answer } = await found.run.finally(this.show);
    const ends = first + n >= frames.length;
    return { frames: frames.slice(first, first + n), over: ends ? over : "", summary: ends ? summary : null, answer: ends ? answer : null };
  }

  part(name, told) {
    return fetch_part(name, this.site.parts[name], told);
  }

  // ---- the scheduler in its worker ----

  async ask(script, first, n) {
    await this.ready;
    return new Promise((done, failed) => {
      const number = ++this.questions;
      this.asked.set(number, { done, failed });
      this.worker.postMessage({ number, script: JSON.stringify(script), first, n });
    });
  }

  /** Fetches the scheduler and its Python, and starts it. */
  async start() {
    this.coming = true;
    try {
      if (!this.site.python.length) throw new Error(NONE);
      const files = await this.fetch_python();
      this.state("the scheduler is starting…", "paused");
      const source = new Blob([await unpack(await this.part("worker.js"))], { type: "text/javascript" });
      this.worker = new Worker(URL.createObjectURL(source)); // no module: Chromium starts none for a page from a disk
      await new Promise((done, failed) => {
        this.asked.set(0, { done, failed });
        this.worker.addEventListener("message", ({ data }) => this.told(data));
        this.worker.addEventListener("error", (event) => failed(new Error(event.message || "the worker did not start")));
        this.worker.postMessage({ number: 0, files });
      });
      this.state("running in this page", "live");
      this.done();
    } catch (error) {
      this.coming = false; // other parts may still come: of no use any more
      this.state(error.message === NONE ? "recorded runs only" : `the scheduler did not start: ${error.message}`, error.message === NONE ? "paused" : "lost");
      this.failed(error);
      return false;
    }
    return true;
  }

  async fetch_python() {
    const { python, parts } = this.site;
    const total = python.reduce((sum, name) => sum + parts[name], 0);
    let here = 0;
    const say = () => this.coming && this.state(`the scheduler is loading… ${Math.floor((100 * here) / total)} %`, "paused");
    say();
    const found = await Promise.all(python.map((name) => this.part(name, () => (here++, say()))));
    return Object.fromEntries(python.map((name, i) => [name, found[i]]));
  }

  told({ number, answer, wrong }) {
    const { done, failed } = this.asked.get(number);
    this.asked.delete(number);
    const piece = answer ? JSON.parse(answer) : null;
    if (wrong || piece?.wrong) failed(new Error(wrong || piece.wrong));
    else done(piece);
  }
}

/** What only the scheduler itself can play waits for it. */
class Waiting {
  constructor(...panes) {
    this.parts = panes.flatMap((pane) => [...pane.children]);
    this.notes = panes.map((pane) => h("p", { class: "quiet", "data-note": "engine" }));
    panes.forEach((pane, i) => pane.prepend(this.notes[i]));
    this.hold(true);
  }

  hold(held) {
    for (const part of this.parts) part.inert = held;
  }

  say(words) {
    for (const note of this.notes) text(note, words);
  }

  end() {
    this.hold(false);
    for (const note of this.notes) note.remove();
  }
}

async function stand_alone() {
  const pill = h("span", { id: "engine", class: "pill", role: "status" });
  $("title").closest(".brand").after(pill);
  let waiting = null;
  const source = new Alone((words, is) => {
    text(pill, words);
    attribute(pill, "title", words);
    attribute(pill, "data-is", is);
    waiting?.say(`${words[0].toUpperCase()}${words.slice(1)}. The essay plays recorded runs.`);
  });
  await begin(source);
  const lab = window.goschedLab;
  if (!lab) return; // the page has said why
  lab.engine = source;
  waiting = new Waiting($("play"), $("rules"));
  await source.shown;
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) requestAnimationFrame(() => lab.at === 0 && !lab.playing && lab.toggle());
  if (await source.start()) waiting.end();
}

stand_alone();
