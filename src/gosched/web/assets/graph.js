// The wait-for graph: who waits on what, and who holds that. What waits in a circle is drawn as one, thick and marked.

import { h, s } from "./dom.js";
import { count } from "./format.js";
import { T } from "./store.js";

const WIDE = 168;
const HIGH = 30;
const GAP_X = 84;
const GAP_Y = 12;
const WAITERS = 5; // of one thing are drawn
const DRAWN = 40; // things

export class Graph {
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    this.drawn = "";
    root.classList.add("graph");
  }

  show(waits) {
    const key = JSON.stringify([waits.things.map((t) => [t[T.key], t[T.holder], t[T.ids], t[T.cycle]]), waits.more]);
    if (key === this.drawn) return;
    this.drawn = key;
    const legend = h("div", { class: "legend" },
      h("span", {}, "▭ goroutine"), h("span", {}, "◇ lock"), h("span", {}, "⬡ channel and others"), h("span", {}, "→ waits for"), h("span", {}, "⇢ held by"), h("span", {}, "⟳ thick: a cycle, nobody goes on"));
    if (!waits.things.length) {
      this.root.replaceChildren(legend, h("div", { class: "empty" }, waits.untold ?? "Nobody waits on a channel or a lock."));
      return;
    }
    const left = waits.more + Math.max(0, waits.things.length - DRAWN);
    const note = left ? [h("div", { class: "empty" }, `… and ${count(left)} more that somebody waits on`)] : [];
    this.root.replaceChildren(legend, this.draw(waits), ...note);
  }

  draw(waits) {
    const { nodes, edges } = collect(waits);
    const parts = components(nodes, edges);
    let y = 10;
    let width = 0;
    for (const part of parts) {
      const size = part.some((node) => node.cycle) ? around(part, edges, y) : layered(part, edges, y);
      y += size.height + 26;
      width = Math.max(width, size.width);
    }
    const svg = s("svg", { width: width + 20, height: y, viewBox: `0 0 ${width + 20} ${y}`, role: "img", "aria-label": describe(waits) }, arrows());
    for (const edge of edges) svg.append(line(edge));
    for (const node of nodes.values()) svg.append(this.node(node));
    return svg;
  }

  node(node) {
    const { x, y } = node;
    const shape = node.kind === "lock"
      ? s("path", { d: `M${x} ${y + HIGH / 2}l14 ${-HIGH / 2}h${WIDE - 28}l14 ${HIGH / 2}l-14 ${HIGH / 2}h${28 - WIDE}z` })
      : node.kind === "thing"
        ? s("path", { d: `M${x} ${y + HIGH / 2}l8 ${-HIGH / 2}h${WIDE - 16}l8 ${HIGH / 2}l-8 ${HIGH / 2}h${16 - WIDE}z` })
        : s("rect", { x, y, width: WIDE, height: HIGH, rx: 7 });
    const goroutine = node.kind === "goroutine";
    const group = s("g", { class: `node ${goroutine ? "" : node.kind === "more" ? "more" : "thing"} ${node.cycle ? "cycle" : ""}` }, shape,
      s("text", { x: x + WIDE / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle" }, (node.cycle ? "⟳ " : "") + clip(node.text, 24)), s("title", {}, node.text));
    if (goroutine) {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.addEventListener("click", () => this.choose(node.id));
      group.addEventListener("keydown", (event) => event.key === "Enter" && this.choose(node.id));
    }
    return group;
  }
}

function collect(waits) {
  const nodes = new Map();
  const edges = [];
  const in_cycle = new Set(waits.dead.filter(([kind]) => kind === "cycle").flatMap(([, ids]) => ids));
  const goroutine = (id) => {
    const key = `g${id}`;
    if (!nodes.has(key)) nodes.set(key, { key, id, kind: "goroutine", text: `G${id} ${waits.names[id] ?? ""}`, cycle: in_cycle.has(id) });
    return nodes.get(key);
  };
  for (const thing of waits.things.slice(0, DRAWN)) {
    const lock = /Mutex|Semaphore/.test(thing[T.kind]);
    const node = { key: thing[T.key], kind: lock ? "lock" : "thing", text: thing[T.text].replace(/^<|>$/g, "").replace(/ at 0x[0-9a-f]*?([0-9a-f]{4})$/, " …$1"), cycle: thing[T.cycle] };
    nodes.set(node.key, node);
    const ids = [...thing[T.ids]].sort((a, b) => in_cycle.has(b) - in_cycle.has(a));
    for (const id of ids.slice(0, WAITERS)) edges.push({ from: goroutine(id), to: node, cycle: node.cycle && in_cycle.has(id) });
    const left = thing[T.count] - Math.min(ids.length, WAITERS);
    if (left > 0) {
      const more = { key: `more ${node.key}`, kind: "more", text: `+ ${count(left)} more` };
      nodes.set(more.key, more);
      edges.push({ from: more, to: node });
    }
    if (thing[T.holder]) edges.push({ from: node, to: goroutine(thing[T.holder]), held: true, cycle: node.cycle });
  }
  return { nodes, edges };
}

/** Sets of nodes that hang together; those with a cycle first. */
function components(nodes, edges) {
  const near = new Map([...nodes.values()].map((node) => [node, []]));
  for (const { from, to } of edges) {
    near.get(from).push(to);
    near.get(to).push(from);
  }
  const seen = new Set();
  const found = [];
  for (const node of nodes.values()) {
    if (seen.has(node)) continue;
    const part = [node];
    seen.add(node);
    for (let i = 0; i < part.length; i++) for (const next of near.get(part[i])) if (!seen.has(next)) seen.add(next), part.push(next);
    found.push(part);
  }
  return found.sort((a, b) => b.some((n) => n.cycle) - a.some((n) => n.cycle));
}

/** From left to right: who waits, what for, who holds it, what that one waits for. */
function layered(part, edges, top, fixed = new Set(), from_x = 10) {
  const mine = new Set(part);
  const inner = edges.filter((edge) => mine.has(edge.from) && mine.has(edge.to) && !fixed.has(edge.to));
  const depth = new Map(part.map((node) => [node, 0]));
  for (let round = 0, moved = true; moved && round < part.length; round++) {
    moved = false;
    for (const { from, to } of inner) if (depth.get(to) < depth.get(from) + 1) depth.set(to, depth.get(from) + 1), (moved = true);
  }
  const columns = [];
  for (const node of part) if (!fixed.has(node)) (columns[depth.get(node)] ??= []).push(node);
  const tallest = Math.max(1, ...columns.map((column) => column?.length ?? 0));
  const height = tallest * (HIGH + GAP_Y) - GAP_Y;
  columns.forEach((column, i) => {
    const used = column.length * (HIGH + GAP_Y) - GAP_Y;
    column.forEach((node, j) => {
      node.x = from_x + i * (WIDE + GAP_X);
      node.y = top + (height - used) / 2 + j * (HIGH + GAP_Y);
    });
  });
  return { width: from_x + columns.length * (WIDE + GAP_X) - GAP_X, height };
}

/** The cycle as a circle, and who waits for its members beside it. */
function around(part, edges, top) {
  const ring = in_order(part.filter((node) => node.cycle), edges);
  const rest = part.filter((node) => !node.cycle);
  const left = rest.length ? layered(part, edges, top, new Set(ring)) : { width: 10 - GAP_X, height: 0 };
  const rx = Math.max(WIDE * 0.72, ring.length * 30);
  const ry = Math.max(58, ring.length * 20);
  const height = Math.max(left.height, 2 * ry + HIGH);
  const cx = left.width + GAP_X + rx + WIDE / 2;
  ring.forEach((node, i) => {
    const angle = (2 * Math.PI * i) / ring.length - Math.PI / 2;
    node.x = cx + rx * Math.cos(angle) - WIDE / 2;
    node.y = top + height / 2 + ry * Math.sin(angle) - HIGH / 2;
  });
  return { width: cx + rx + WIDE / 2, height };
}

function in_order(ring, edges) {
  const mine = new Set(ring);
  const next = new Map(edges.filter((edge) => edge.cycle && mine.has(edge.from)).map((edge) => [edge.from, edge.to]));
  const found = [];
  for (const start of ring) for (let at = start; at && mine.has(at) && !found.includes(at); at = next.get(at)) found.push(at);
  return found;
}

function line(edge) {
  const a = centre(edge.from);
  const b = centre(edge.to);
  const start = border(a, b);
  const end = border(b, a);
  const bend = Math.abs(b.y - a.y) < HIGH || Math.abs(b.x - a.x) < WIDE ? 0 : (end.x - start.x) / 2;
  return s("path", {
    class: `edge ${edge.held ? "held" : ""} ${edge.cycle ? "cycle" : ""}`,
    d: `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`,
    "marker-end": edge.cycle ? "url(#arrow-cycle)" : "url(#arrow)",
  });
}

const centre = (node) => ({ x: node.x + WIDE / 2, y: node.y + HIGH / 2 });

/** Where the way from the middle of a node to another one leaves it. */
function border(a, b) {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  if (Math.abs(dx) >= WIDE) return { x: a.x + (Math.sign(dx) * WIDE) / 2, y: a.y };
  const scale = Math.min(Math.abs(WIDE / 2 / (dx || 1e-9)), Math.abs(HIGH / 2 / (dy || 1e-9)));
  return { x: a.x + dx * scale, y: a.y + dy * scale };
}

function arrows() {
  const head = (id, colour) => s("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" }, s("path", { d: "M0 0L8 4L0 8z", fill: colour }));
  return s("defs", {}, head("arrow", "var(--faint)"), head("arrow-cycle", "var(--wrong)"));
}

const clip = (words, n) => (words.length > n ? `${words.slice(0, n - 1)}…` : words);

function describe(waits) {
  const cycles = waits.dead.filter(([kind]) => kind === "cycle").length;
  return `Wait-for graph of ${waits.things.length} things, ${cycles} ${cycles === 1 ? "cycle" : "cycles"}`;
}
