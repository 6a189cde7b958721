// The keyboard, and the card that tells it.

import { h } from "./dom.js";

const VIEW = [
  ["space", "freeze the page, or go on; the program always goes on"], ["← →", "a moment back or on (with shift: ten)"], ["End", "back to now"], ["↑ ↓", "the goroutine before or after"],
  ["/", "search"], ["1 … 4", "goroutines, graph, channels and locks, events"], ["Esc", "close, clear"], ["?", "this card"],
];

export function card(dialog, keys = VIEW, ...before) {
  dialog.append(...before, h("h2", { id: "keys-title" }, "Keys"), h("dl", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("p", { class: "quiet" }, "Letters of states: R running, Q queued to run, P preempted, S in a blocking call, W waiting."),
    h("form", { method: "dialog" }, h("button", {}, "Close")));
}

/** `acts`: what each key does; a key in a field is the field's, but for Esc. */
export function listen(acts) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest?.("input, select, textarea, dialog[open]"); // a card that has just closed may still have the focus
    if (field && event.key !== "Escape") return;
    if (event.key === " " && event.target.closest?.("button, [role=button]")) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.("[role=tab]")) return;
    const act = acts[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}
