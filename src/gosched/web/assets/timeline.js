// The last minutes, as a band to scrub over: how many can run, and where the page stands.

import { attribute, h, style, text } from "./dom.js";
import { clock, span } from "./format.js";
import { Chart } from "./charts.js";

export class Timeline {
  /** `seek`: called with the number of a frame that is kept, or of a recording with its time. `time`: how times are written. */
  constructor(root, seek, time = clock) {
    this.time = time;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.range = h("input", { type: "range", min: 0, max: 0, value: 0, step: "any", "aria-label": "Time: scrub over the last minutes" });
    this.cursor = h("span", { class: "cursor" });
    this.now = h("span", { class: "now" });
    this.range.addEventListener("input", () => seek(Number(this.range.value)));
    root.append(h("div", { class: "track" }, this.canvas, this.range, this.cursor), this.now);
    this.chart = new Chart(this.canvas);
    this.drawn = 0;
  }

  /** `at` of `first` … `last`, in the unit that `seek` is told. */
  show(series, at, first, last, t, live, now) {
    attribute(this.range, "min", String(first));
    attribute(this.range, "max", String(last));
    if (document.activeElement !== this.range || live) this.range.value = at;
    const share = last > first ? (at - first) / (last - first) : 1;
    style(this.cursor, "left", `calc(${(100 * share).toFixed(2)}% - 1px)`);
    const behind = series.length ? series.at(-1).t - t : 0;
    text(this.now, `${this.time(t)}${behind > 0.05 ? `  −${span(behind)}` : ""}`);
    attribute(this.range, "aria-valuetext", this.time(t));
    if (now - this.drawn > 500) {
      this.drawn = now;
      this.draw(series);
    }
  }

  draw(series) {
    const { pen, width, height } = this.chart;
    if (!width || series.length < 2) return;
    pen.clearRect(0, 0, width, height);
    const heights = series.map((p) => p.queue + p.ps.reduce((a, b) => a + b, 0));
    const most = Math.max(4, ...heights);
    pen.fillStyle = this.chart.colour("--r");
    pen.globalAlpha = 0.5;
    pen.beginPath();
    pen.moveTo(0, height);
    heights.forEach((v, i) => pen.lineTo((i / (series.length - 1)) * width, height - (v / most) * (height - 4)));
    pen.lineTo(width, height);
    pen.fill();
    pen.globalAlpha = 1;
  }
}
