// The scheduler itself, in a worker of a page that stands alone: Pyodide, and gosched's pure build in it. Everything it needs was given to it.

import { unpack } from "./unpack.js";

const HOME = "memory:/pyodide/"; // an address that is nowhere: what Pyodide fetches is here already
const KINDS = { wasm: "application/wasm", json: "application/json", mjs: "text/javascript" };

self.importScripts = undefined; // by it Pyodide knows a worker that cannot import; this one can

let inpage = null; // gosched/web/inpage.py

async function start(files) {
  const found = new Map();
  for (const [name, letters] of Object.entries(files)) found.set(name, await unpack(letters));
  const blob = (name) => new Blob([found.get(name)], { type: KINDS[name.split(".").pop()] ?? "application/octet-stream" });
  self.fetch = async (address) => {
    const name = String(address).split("/").pop();
    if (!found.has(name)) throw new Error(`${name} is not in this page`);
    return new Response(blob(name), { headers: { "Content-Type": blob(name).type } });
  };
  const load = (name) => import(URL.createObjectURL(blob(name)));
  const { loadPyodide } = await load("pyodide.mjs");
  const { default: createPyodideModule } = await load("pyodide.asm.mjs");
  const python = await loadPyodide({ indexURL: HOME, createPyodideModule });
  python.unpackArchive(found.get("gosched.zip"), "zip");
  inpage = python.pyimport("gosched.web.inpage");
}

self.addEventListener("message", async ({ data: { number, files, script, first, n } }) => {
  try {
    if (files) await start(files);
    self.postMessage({ number, answer: files ? "" : inpage.frames(script, first, n) });
  } catch (error) {
    self.postMessage({ number, wrong: String(error.message ?? error).trim().split("\n").pop() }); // of Python's traceback, what it is about
  }
});
