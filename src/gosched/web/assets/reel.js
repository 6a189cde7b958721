// A run of the laboratory: its frames, one for each event, and the moment that each of them makes of what was before.
//
// A frame has what its event has touched. Every so often all of it is kept, so that going back costs no more than going on.

import { E, G, M, P } from "./store.js";

const KEPT_EVERY = 100;

export class Reel {
  constructor(about) {
    this.about = about;
    this.frames = [];
    this.events = []; // for the log
    this.series = []; // for the band at the bottom
    this.names = new Map();
    this.keys = [];
    this.over = "";
    this.now = { at: -1, ps: [], ms: [], rows: new Map() };
    this.end = { at: -1, ps: [], ms: [], rows: new Map() }; // as of the last frame: what is added continues from here
  }

  reason(number) {
    return this.about.reasons[number] ?? "";
  }

  get rows() {
    return this.now.rows;
  }

  add(frames) {
    for (const frame of frames) {
      if (this.frames.length % KEPT_EVERY === 0) this.keys.push(copy(this.end));
      frame.tick = frame.ps.some((p) => p[P.turns] > (this.end.ps[p[P.id]]?.[P.turns] ?? 0));
      this.frames.push(frame);
      this.events.push(frame.event);
      for (const row of frame.rows) this.names.set(row[G.id], row[G.name]);
      apply(this.end, frame);
      this.series.push({ t: frame.t, queue: frame.queue[0], ps: this.end.ps.map((p) => p[P.length] + (p[P.next] ? 1 : 0)) });
    }
  }

  /** The moment after the i-th event. */
  at(i) {
    if (i < this.now.at || i > this.now.at + KEPT_EVERY) this.now = copy(this.keys[Math.floor(i / KEPT_EVERY)]);
    while (this.now.at < i) apply(this.now, this.frames[this.now.at + 1]);
    const frame = this.frames[i];
    const t = frame.t;
    return {
      ...frame,
      last: frame.event[E.number],
      ps: this.now.ps.map((p) => (p[P.held] < 0 ? p : p.with(P.held, Math.max(0, t - p[P.held])))).map((p) => (p[P.held] < 0 ? p.with(P.held, 0) : p)),
      ms: this.now.ms.filter((m) => m && m[M.state] !== "gone").map((m) => (m[M.state] === "blocked" ? m.with(M.away, t - m[M.away]) : m)),
      rows: this.now.rows,
      timers: [frame.timers, null],
      groups: [],
      names: {},
      lints: [],
      changed: true,
    };
  }

  /** The place of a mark: the nth event of a name, about a goroutine of that name, with those words. -1: there is none, yet. */
  find(mark) {
    let left = mark.nth;
    return this.frames.findIndex((frame) => this.fits(frame, mark) && --left === 0);
  }

  fits(frame, mark) {
    return frame.name === mark.event && (!mark.of || this.names.get(frame.event[E.g]) === mark.of) && (!mark.says || frame.event[E.text].includes(mark.says));
  }

  /** From `at` on, the next frame of which `wanted` is true; the last one if there is none. */
  next(at, wanted) {
    for (let i = at + 1; i < this.frames.length; i++) if (wanted(this.frames[i])) return i;
    return this.frames.length - 1;
  }

  /** One goroutine, for the panel: what it has done until then. */
  describe(id, at) {
    const row = this.now.rows.get(id);
    const history = [];
    for (let i = 0; i <= at; i++) {
      const { event, rows } = this.frames[i];
      const mine = rows.find((r) => r[G.id] === id);
      if (mine || event[E.g] === id) history.push([event[E.t], mine?.[G.state] ?? "w", event[E.text]]);
    }
    if (!row) throw new Error(history.length ? "It has ended." : "It has not begun.");
    const words = { R: "running", r: "runnable", w: this.reason(row[G.reason]) || "waiting", p: "preempted", s: "in a call" };
    return { id, name: row[G.name], state: words[row[G.state]], waits: 0, locked: false, creator: row[G.creator], origin: null, on: [], history };
  }
}

function apply(now, frame) {
  now.at += 1;
  if (frame.name === "PROCS") now.ps.length = Math.min(now.ps.length, frame.procs);
  for (const p of frame.ps) now.ps[p[P.id]] = p;
  for (const m of frame.ms) now.ms[m[M.id]] = m;
  for (const id of frame.gone) now.rows.delete(id);
  for (const row of frame.rows) now.rows.set(row[G.id], row);
}

const copy = (now) => ({ at: now.at, ps: now.ps.slice(), ms: now.ms.slice(), rows: new Map(now.rows) });
