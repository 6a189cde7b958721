// The last sixty seconds: lengths of run queues, and how long who can run waits for a turn. Drawn on canvases, whose colours are the page's.

import { attribute, text } from "./dom.js";
import { count, span } from "./format.js";

export const WINDOW = 60;
const LINES = 8; // Ps with a line of their own
const DASHES = [[], [5, 3], [1.5, 2.5], [8, 3, 2, 3]];
const HUES = ["--R", "--w", "--p", "--s"];

export class Charts {
  constructor(queues, latency, queues_now, latency_now) {
    this.queues = new Chart(queues);
    this.latency = new Chart(latency);
    this.queues_now = queues_now;
    this.latency_now = latency_now;
  }

  show(series, t) {
    const points = visible(series, t);
    const last = points.at(-1);
    if (!last) return;
    const ps = last.ps.length;
    const lines = ps > LINES ? [{ of: (p) => p.ps.reduce((a, b) => a + b, 0), hue: HUES[0], dash: [] }]
      : Array.from({ length: ps }, (_, i) => ({ of: (p) => p.ps[i] ?? 0, hue: HUES[i % 4], dash: DASHES[Math.floor(i / 4) % 4] }));
    const most = Math.max(4, ...points.map((p) => Math.max(p.queue, ...p.ps)));
    this.queues.draw(points, t, { area: (p) => p.queue, lines, top: nice(most), scale: (v, top) => v / top, label: count });
    const total = last.queue + last.ps.reduce((a, b) => a + b, 0);
    text(this.queues_now, `${count(total)} queued`);
    attribute(this.queues.canvas, "title", `shaded: the global queue; ${ps > LINES ? "line: all Ps" : ps === 1 ? "line: P0" : `lines: P0 to P${ps - 1}`}`);
    this.latency.draw(points, t, { area: (p) => p.latency ?? 1, lines: [], top: 1, scale: log, label: span, ticks: [1e-5, 1e-3, 1e-1] });
    text(this.latency_now, last.latency ? `about ${span(last.latency)}` : last.latency === null ? "nobody had one" : "nobody waits");
    attribute(this.latency.canvas, "aria-label", `Scheduling latency over the last 60 seconds, now ${span(last.latency)}`);
  }
}

/** 1 µs … 1 s as 0 … 1. */
const log = (v) => (v === null ? null : Math.max(0, Math.min(1, (Math.log10(Math.max(v, 1e-6)) + 6) / 6)));

function visible(series, t) {
  let first = series.length;
  while (first > 0 && series[first - 1].t > t - WINDOW) first--;
  let end = series.length;
  while (end > first && series[end - 1].t > t + 1e-3) end--;
  return series.slice(Math.max(0, first - 1), end);
}

function nice(most) {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 8, 10].map((n) => n * unit).find((n) => n >= most) ?? most;
}

export class Chart {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.colours = {};
    new ResizeObserver(() => this.fit()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.colours = {}));
    this.fit();
  }

  fit() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  colour(name) {
    return (this.colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  }

  draw(points, t, plan) {
    const { pen, width, height } = this;
    if (!width) return;
    pen.clearRect(0, 0, width, height);
    const y = (v) => height - 3 - plan.scale(v, plan.top) * (height - 8);
    const x = (at) => width - ((t - at) / WINDOW) * width;
    pen.font = "10px system-ui, sans-serif";
    pen.lineWidth = 1;
    for (const tick of plan.ticks ?? [plan.top / 2, plan.top]) {
      const at = Math.round(y(tick)) + 0.5;
      pen.strokeStyle = this.colour("--line");
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
      pen.fillStyle = this.colour("--faint");
      pen.fillText(plan.label(tick), 2, at < 14 ? at + 11 : at - 3);
    }
    if (plan.area) {
      pen.fillStyle = this.colour("--r");
      pen.globalAlpha = plan.lines.length ? 0.3 : 0.6;
      this.trace(points, x, y, plan.area);
      pen.lineTo(x(points.at(-1).t), height);
      pen.lineTo(x(points[0].t), height);
      pen.fill();
      pen.globalAlpha = 1;
    }
    pen.lineWidth = 1.5;
    for (const line of plan.lines) {
      pen.strokeStyle = this.colour(line.hue);
      pen.setLineDash(line.dash);
      this.trace(points, x, y, line.of);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  trace(points, x, y, of) {
    const { pen } = this;
    pen.beginPath();
    let down = false;
    for (const point of points) {
      const value = of(point);
      if (value === null || value === undefined) down = false;
      else if (down) pen.lineTo(x(point.t), y(value));
      else pen.moveTo(x(point.t), y(value)), (down = true);
    }
  }
}
