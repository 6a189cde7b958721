// What the page knows: the moment that it shows, and the last minutes, to scrub through.
//
// A message from the server has all but the goroutines, and of those what has changed. So the past is kept in segments, each with the goroutines at its
// beginning and the messages since; a moment of the past is made by applying them again.

export const P = { id: 0, status: 1, m: 2, g: 3, length: 4, ring: 5, next: 6, slices: 7, turns: 8, steals: 9, stolen: 10, handoffs: 11, retakes: 12, blocks: 13, forced: 14, timers: 15, held: 16 };
export const M = { id: 0, state: 1, p: 2, g: 3, away: 4, locks: 5, aside: 6 };
export const G = { id: 0, state: 1, reason: 2, since: 3, name: 4, creator: 5 };
export const T = { key: 0, text: 1, kind: 2, holder: 3, count: 4, ids: 5, reason: 6, longest: 7, cycle: 8 };
export const E = { number: 0, t: 1, kind: 2, text: 3, g: 4 };

const SEGMENT = 100; // frames
const FRAMES = 3_000; // five minutes at ten a second
const WEIGHT = 400_000; // rows, over all that is kept
const EVENTS = 5_000;

export class Store {
  constructor() {
    this.about = { reasons: [], states: {}, live: true };
    this.rows = new Map();
    this.segments = [];
    this.frames = 0;
    this.weight = 0;
    this.series = [];
    this.events = [];
    this.waits = { things: [], dead: [], names: {}, more: 0 };
    this.last = null;
  }

  /** A message: applies it, keeps it, and returns the moment. */
  take(frame) {
    if (frame.full) this.rows = new Map();
    let segment = this.segments.at(-1);
    if (frame.full || !segment || segment.frames.length >= SEGMENT) {
      segment = { base: new Map(this.rows), frames: [] };
      this.segments.push(segment);
      this.weight += segment.base.size;
    }
    apply(this.rows, frame);
    segment.frames.push(frame);
    this.frames += 1;
    this.weight += frame.rows.length + frame.gone.length + frame.groups.length;
    this.series.push(point(frame));
    this.add_events(frame.events);
    this.forget();
    this.last = { ...frame, rows: this.rows, changed: frame.full || frame.rows.length > 0 || frame.gone.length > 0 };
    return this.last;
  }

  add_events(events) {
    const known = this.events.length ? this.events.at(-1)[E.number] : 0;
    for (const event of events) if (event[E.number] > known) this.events.push(event);
    if (this.about.live && this.events.length > EVENTS) this.events.splice(0, this.events.length - EVENTS + 500);
  }

  forget() {
    while (this.about.live && this.segments.length > 2 && (this.frames > FRAMES || this.weight > WEIGHT)) {
      const old = this.segments.shift();
      this.frames -= old.frames.length;
      this.weight -= old.base.size + old.frames.reduce((sum, f) => sum + f.rows.length + f.gone.length + f.groups.length, 0);
      this.series.splice(0, old.frames.length);
    }
  }

  /** The i-th of the frames that are kept. */
  at(i) {
    let left = Math.max(0, Math.min(i, this.frames - 1));
    for (const segment of this.segments) {
      if (left < segment.frames.length) {
        const rows = new Map(segment.base);
        for (let at = 0; at <= left; at++) apply(rows, segment.frames[at]);
        return { ...segment.frames[left], rows, changed: true };
      }
      left -= segment.frames.length;
    }
    return this.last;
  }

  reason(number) {
    return this.about.reasons[number] ?? "";
  }
}

function apply(rows, frame) {
  for (const id of frame.gone) rows.delete(id);
  for (const row of frame.rows) rows.set(row[G.id], row);
}

/** What the charts draw of a frame. */
function point(frame) {
  return { t: frame.t, queue: frame.queue[0], ps: frame.ps.map((p) => Math.max(0, p[P.length]) + (p[P.next] ? 1 : 0)), latency: frame.latency, total: frame.total };
}
