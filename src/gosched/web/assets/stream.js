// The wire: Server-Sent Events, each parsed here. A page that nobody looks at listens to nothing, and costs the program nothing.

export class Stream {
  /** `told`: called with (kind, data, milliseconds spent on parsing); `became`: with live, lost or ended. */
  constructor(told, became) {
    this.told = told;
    this.became = became;
    this.source = null;
    this.over = false;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open()));
  }

  open() {
    if (this.source || this.over || document.hidden) return;
    const source = (this.source = new EventSource("/stream"));
    source.addEventListener("open", () => this.became("live"));
    for (const kind of ["frame", "waits"]) {
      source.addEventListener(kind, (event) => {
        const start = performance.now();
        const data = JSON.parse(event.data);
        this.told(kind, data, performance.now() - start);
      });
    }
    source.addEventListener("over", () => {
      this.over = true;
      this.close();
      this.became("ended");
    });
    source.addEventListener("error", () => {
      if (!this.over) this.became("lost"); // the browser tries again by itself; if it was refused, we do
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        this.source = null;
        setTimeout(() => this.open(), 2_000);
      }
    });
  }

  close() {
    this.source?.close();
    this.source = null;
  }
}

export async function ask(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
}
