// Small tools for a page that changes ten times a second: elements are made once, and only what differs is touched.

const SVG = "http://www.w3.org/2000/svg";

/** An element: attributes, `on…` listeners, `class`, children. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

export const $ = (id) => document.getElementById(id);

export function text(node, value) {
  if (node.said !== value) {
    node.said = value;
    node.textContent = value;
  }
}

export function attribute(node, name, value) {
  const known = (node.known ??= {});
  if (known[name] !== value) {
    known[name] = value;
    if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
}

export function hide(node, hidden) {
  if (node.hides !== hidden) node.hidden = node.hides = hidden;
}

export function style(node, name, value) {
  const known = (node.styled ??= {});
  if (known[name] !== value) {
    known[name] = value;
    node.style[name] = value;
  }
}

/** The children of `parent`, one for each item, in order: made when they are missing, hidden when there are too many, and used again. */
export class Pool {
  constructor(parent, make) {
    this.parent = parent;
    this.make = make;
    this.nodes = [];
    this.used = 0;
  }

  show(items, update) {
    const n = items.length;
    while (this.nodes.length < n) {
      const node = this.make(this.nodes.length);
      this.nodes.push(node);
      this.parent.append(node.root ?? node);
    }
    for (let i = 0; i < n; i++) update(this.nodes[i], items[i], i);
    for (let i = Math.min(n, this.used); i < Math.max(n, this.used); i++) {
      const node = this.nodes[i];
      (node.root ?? node).hidden = i >= n;
    }
    this.used = n;
    const spare = 2 * n + 64; // a burst must not stay for ever
    while (this.nodes.length > spare) {
      const node = this.nodes.pop();
      (node.root ?? node).remove();
    }
  }
}
