// Numbers and states as people read them.

export const LETTERS = { R: "R", r: "Q", w: "W", p: "P", s: "S" };
export const WORDS = { R: "running", r: "runnable: queued", w: "waiting", p: "preempted", s: "in a blocking call" };
export const SHORT = { R: "running", r: "queued", w: "waiting", p: "preempted", s: "in a call" };
export const ORDER = ["R", "r", "p", "s", "w"];

const whole = new Intl.NumberFormat("en-US");

export const count = (n) => whole.format(n);

/** A long number in little room: 75.2 k. */
export function brief(n) {
  if (n < 0) return "–"; // a recording does not tell
  if (n < 10_000) return whole.format(Math.round(n));
  if (n < 1_000_000) return `${(n / 1_000).toFixed(n < 100_000 ? 1 : 0)} k`;
  return n < 1e9 ? `${(n / 1e6).toFixed(n < 1e8 ? 1 : 0)} M` : `${(n / 1e9).toFixed(1)} G`;
}

/** Seconds, with the unit that suits them. */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds <= 0) return "0";
  if (seconds < 1e-3) return `${Math.max(1, Math.round(seconds * 1e6))} µs`;
  if (seconds < 1) return `${seconds < 0.01 ? (seconds * 1e3).toFixed(1) : Math.round(seconds * 1e3)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** A time since the program began. */
export function clock(t, digits = t < 3600 ? 2 : 0) {
  const minutes = Math.floor(t / 60);
  const seconds = (t - 60 * minutes).toFixed(digits);
  return minutes ? `${minutes}:${seconds.padStart(digits ? digits + 3 : 2, "0")}` : `${seconds} s`;
}

export const file = (path) => path.split("/").slice(-2).join("/");
