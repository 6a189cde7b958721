"""A crawler over a blocking HTTP library: requests knows nothing of goroutines, and stalls nobody. The little site that it crawls is served by
other goroutines of the same program, on the same P if there is only one. It needs `pip install requests`.

python examples/crawler.py
"""

from __future__ import annotations

import re

import requests

from gosched import Chan, Group, blocking, go, net, run

LINKS = {
    "/": ["/cats", "/dogs"],
    "/cats": ["/", "/cats/tom"],
    "/dogs": ["/cats", "/dogs/rex", "/fish"],
    "/cats/tom": ["/dogs/rex"],
    "/dogs/rex": ["/"],
}
AT_ONCE = 4


def answer(conn: net.Conn) -> None:
    with conn:
        path = conn.read_line().split()[1].decode()
        while conn.read_line().strip():
            pass  # headers
        status = "200 OK" if path in LINKS else "404 Not Found"
        page = "".join(f'<a href="{link}">{link}</a>\n' for link in LINKS.get(path, []))
        conn.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(page)}\r\nConnection: close\r\n\r\n{page}".encode())


def serve(listener: net.Listener) -> None:
    for conn in listener:
        go(answer, conn)


def fetch(url: str) -> str | None:
    """Blocks, as it would in any program: connecting, writing, reading."""
    with requests.Session() as session:
        session.trust_env = False  # the site is this program's own: no proxy stands before it
        page = session.get(url, timeout=60)
        return page.text if page.ok else None


def visit(site: str, path: str, found: Chan[tuple[str, list[str] | None]]) -> None:
    page = blocking(fetch, site + path)
    found.send((path, None if page is None else re.findall('href="(.*?)"', page)))


def crawl(site: str) -> dict[str, list[str] | None]:
    """Every page that can be reached, once, a few at a time. Only this goroutine knows which ones there are."""
    pages: dict[str, list[str] | None] = {}
    found, seen = Chan[tuple[str, list[str] | None]](), {"/"}
    with Group(limit=AT_ONCE) as group:
        group.go(visit, site, "/", found)
        while len(pages) < len(seen):
            path, links = found.recv()
            pages[path] = links
            for link in set(links or []) - seen:
                seen.add(link)
                group.go(visit, site, link, found)
    return pages


def main() -> None:
    with net.listen("127.0.0.1:0") as listener:
        go(serve, listener)
        for path, links in sorted(crawl(f"http://{listener.address}").items()):
            print(path, "is a dead link" if links is None else f"links to {' '.join(links)}")


if __name__ == "__main__":
    run(main)
