// Where frames come from: the server that this page is of, or, in a page that stands alone, recordings and a Python in a worker (worker.js).

import { ask } from "./stream.js";

const CHUNK = 400;

export class Server {
  about() {
    return ask("/lab");
  }

  frames(script, first, n) {
    return ask(`/frames?script=${encodeURIComponent(JSON.stringify(script))}&first=${first}&n=${n}`);
  }
}

/** Fetches a run, piece by piece, until it is over or `wanted` is not true any more. */
export async function fetch_run(source, script, wanted, told) {
  let first = 0;
  for (;;) {
    const piece = await source.frames(script, first, first ? CHUNK : 100);
    if (!wanted()) return;
    first += piece.frames.length;
    told(piece);
    if (piece.over) return;
  }
}
