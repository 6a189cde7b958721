// Where a page that stands alone has its parts: in scripts, each with a piece of one. A page that was opened from a disk may load nothing else.

import { h } from "./dom.js";

const pieces = new Map();
const key = (name, number) => `${name}.${number}`;

window.goschedAlone = { take: (name, number, letters) => pieces.set(key(name, number), letters) };

/** The letters of a part of so many pieces. `told`: called for each piece that has come. */
export async function fetch_part(name, count, told = () => {}) {
  const coming = Array.from({ length: count }, async (_, number) => {
    await run(`parts/${key(name, number)}.js`);
    told();
    const letters = pieces.get(key(name, number));
    pieces.delete(key(name, number));
    return letters;
  });
  return (await Promise.all(coming)).join("");
}

function run(address) {
  return new Promise((done, failed) => {
    const script = h("script", {
      src: address,
      onload: () => (script.remove(), done()),
      onerror: () => (script.remove(), failed(new Error(`${address} is missing: the site is not whole`))),
    });
    document.head.append(script);
  });
}
