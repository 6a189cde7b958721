// The goroutines, one line each; or, if there are too many, one line for all that do the same. Only lines that can be seen exist.

import { attribute, h, Pool, style, text } from "./dom.js";
import { count, ORDER, span } from "./format.js";
import { set_badge } from "./bits.js";
import { G } from "./store.js";

const HEIGHT = 26;
const HEAD = 29;
const COLUMNS = [
  ["id", "Id"], ["state", "", "State"], ["name", "Function"], ["reason", "Waits for"], ["since", "Since", "Since"], ["creator", "Started by"],
];
const RANK = Object.fromEntries(ORDER.map((state, i) => [state, i]));

export class Table {
  constructor(parent, store, choose, shown) {
    this.store = store;
    this.choose = choose;
    this.shown = shown;
    this.needle = "";
    this.states = new Set();
    this.by = "id";
    this.down = false;
    this.items = [];
    this.chosen = 0;
    this.moment = null;
    this.heads = COLUMNS.map(([key, label, title]) =>
      h("button", { type: "button", class: key === "since" || key === "creator" ? "num" : null, "aria-label": title ?? label, onclick: () => this.sort(key) }, label || "●"),
    );
    this.spacer = h("div");
    this.lines = h("div", { role: "listbox", tabindex: "0", "aria-label": "Goroutines" }, this.spacer);
    this.body = h("div", { class: "tbody", onscroll: () => this.look() }, h("div", { class: "thead" }, ...this.heads), this.lines);
    this.pool = new Pool(this.lines, () => this.line());
    parent.append(this.body);
    this.top = this.high = 0; // asked of the layout only when they change
    new ResizeObserver(() => this.look()).observe(this.body);
    this.mark();
  }

  look() {
    this.top = this.body.scrollTop;
    this.high = this.body.clientHeight - HEAD;
    this.draw();
  }

  line() {
    const cells = COLUMNS.map(([key]) => h("span", { class: { id: "id", reason: "why", since: "num", creator: "num by" }[key] ?? null }));
    const tag = h("span", { class: "badge" });
    cells[1].append(tag);
    const line = { cells, tag, root: h("div", { class: "tr", role: "option" }, ...cells) };
    line.root.addEventListener("click", () => line.item && this.choose(number_of(line.item)));
    return line;
  }

  sort(key) {
    this.down = this.by === key ? !this.down : key === "since";
    this.by = key;
    this.mark();
    this.refresh();
  }

  mark() {
    COLUMNS.forEach(([key], i) => attribute(this.heads[i], "aria-sort", key === this.by ? (this.down ? "descending" : "ascending") : "none"));
  }

  search(needle) {
    this.needle = needle.trim().toLowerCase();
    this.refresh();
  }

  toggle(state) {
    if (!this.states.delete(state)) this.states.add(state);
    this.refresh();
  }

  show(moment) {
    const stale = moment.changed || moment.groups.length > 0 || this.moment === null || this.moment.rows !== moment.rows;
    this.moment = moment;
    if (stale) this.refresh();
    else this.draw();
  }

  refresh() {
    if (this.moment === null) return;
    const { rows, groups, total } = this.moment;
    this.grouped = groups.length > 0;
    const items = this.grouped ? groups.map(as_row) : [...rows.values()];
    this.items = this.needle || this.states.size ? items.filter((item) => this.matches(item)) : items;
    this.items.sort(this.order());
    const n = this.grouped ? this.items.reduce((sum, item) => sum + item.count, 0) : this.items.length;
    const kinds = this.grouped ? ` in ${count(this.items.length)} ${this.items.length === 1 ? "group" : "groups"}` : "";
    text(this.shown, n === total ? `${count(total)} goroutine${total === 1 ? "" : "s"}${kinds}` : `${count(n)} of ${count(total)}${kinds}`);
    text(this.heads[0], this.grouped ? "Count" : "Id");
    text(this.heads[5], this.grouped ? "Such as" : "Started by");
    style(this.spacer, "height", `${this.items.length * HEIGHT}px`);
    this.draw();
  }

  matches(item) {
    if (this.states.size && !this.states.has(item[G.state])) return false;
    const needle = this.needle.replace(/^g(?=\d)/, "");
    return !needle || String(item[G.id]) === needle || item[G.name].toLowerCase().includes(this.needle) || this.store.reason(item[G.reason]).toLowerCase().includes(this.needle)
      || (this.grouped && item.ids.includes(Number(needle)));
  }

  order() {
    const sign = this.down ? -1 : 1;
    const at = G[this.by];
    if (this.grouped && this.by === "id") return (a, b) => -sign * (a.count - b.count);
    if (this.by === "state") return (a, b) => sign * (RANK[a[at]] - RANK[b[at]] || a[G.id] - b[G.id]);
    if (this.by === "since") return (a, b) => sign * (age(b, this.moment) - age(a, this.moment)) * -1 || a[G.id] - b[G.id];
    if (this.by === "name") return (a, b) => sign * (a[at] < b[at] ? -1 : a[at] > b[at] ? 1 : a[G.id] - b[G.id]);
    return (a, b) => sign * (a[at] - b[at] || a[G.id] - b[G.id]);
  }

  draw() {
    if (this.moment === null || this.high <= 0) return;
    const first = Math.max(0, Math.min(Math.floor(this.top / HEIGHT), this.items.length) - 2);
    const seen = this.items.slice(first, first + Math.ceil(this.high / HEIGHT) + 4);
    this.pool.show(seen, (line, item, i) => this.write(line, item, first + i));
  }

  write(line, item, place) {
    line.item = item;
    style(line.root, "top", `${HEAD + place * HEIGHT}px`);
    attribute(line.root, "class", item.ids ? "tr group" : "tr");
    attribute(line.root, "aria-selected", number_of(item) === this.chosen || (item.ids && item.ids.includes(this.chosen)) ? "true" : "false");
    const [id, , name, why, since, by] = line.cells;
    text(id, item.ids ? `${count(item.count)} ×` : `G${item[G.id]}`);
    set_badge(line.tag, item[G.state]);
    text(name, item[G.name]);
    attribute(name, "title", item[G.name]);
    text(why, this.store.reason(item[G.reason]));
    text(since, item[G.state] === "w" ? span(age(item, this.moment)) : "");
    text(by, item.ids ? `G${item.ids[0]}${item.count > 1 ? " …" : ""}` : item[G.creator] ? `G${item[G.creator]}` : "");
  }

  choose_shown(id) {
    this.chosen = id;
    this.draw();
  }

  /** By the keyboard: the one before or after the chosen one, in the order of the table. */
  move(step) {
    if (!this.items.length) return;
    const at = this.items.findIndex((item) => number_of(item) === this.chosen);
    const next = Math.max(0, Math.min(this.items.length - 1, at < 0 ? 0 : at + step));
    const top = next * HEIGHT;
    if (top < this.top) this.body.scrollTop = top;
    else if (top + HEIGHT > this.top + this.high) this.body.scrollTop = top + HEIGHT - this.high;
    this.choose(number_of(this.items[next]));
  }
}

/** A group looks like a row with a count; its first goroutine stands for it. */
function as_row([state, reason, name, n, longest, ids]) {
  const row = [ids[0], state, reason, 0, name, 0];
  row.count = n;
  row.ids = ids;
  row.longest = longest;
  return row;
}

const number_of = (item) => item[G.id];
const age = (item, moment) => (item[G.state] !== "w" ? 0 : item.ids ? item.longest : Math.max(0, moment.t - item[G.since]));
