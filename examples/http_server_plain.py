"""HTTP/1.1 over h11 in the plain spelling, without async and await: a goroutine for each connection, which stays open as long as the client likes.

python examples/http_server_plain.py 127.0.0.1:8080      and then:  curl -i http://127.0.0.1:8080/  or  curl -d hello http://127.0.0.1:8080/echo
"""

from __future__ import annotations

import sys
from typing import Any

import h11

from gosched import go, net, run

PAGES = {b"/": b"Hello from a goroutine.\n", b"/about": b"gosched, h11, and nothing else.\n"}
IDLE = 60.0
LARGEST = 1_000_000


def next_event(conn: net.Conn, http: h11.Connection) -> Any:
    """The next part of a request; reads when there is none yet."""
    while (event := http.next_event()) is h11.NEED_DATA:
        if http.they_are_waiting_for_100_continue:
            conn.write(http.send(h11.InformationalResponse(status_code=100, headers=[])))
        http.receive_data(conn.read(timeout=IDLE))
    return event


def body_of(conn: net.Conn, http: h11.Connection) -> bytes:
    body = b""
    while isinstance(event := next_event(conn, http), h11.Data):
        body += event.data
        if len(body) > LARGEST:
            raise h11.RemoteProtocolError("the body is too large", error_status_hint=413)
    return body


def answer(request: h11.Request, body: bytes) -> tuple[int, bytes]:
    path = request.target.partition(b"?")[0]
    if request.method == b"POST" and path == b"/echo":
        return 200, body
    if path not in PAGES:
        return 404, b"There is nothing at " + path + b"\n"
    return (200, PAGES[path]) if request.method == b"GET" else (405, b"Only GET here.\n")


def reply(conn: net.Conn, http: h11.Connection, status: int, body: bytes) -> None:
    headers = [("content-type", "text/plain"), ("content-length", str(len(body)))]
    parts: list[h11.Event] = [h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()]
    conn.write(b"".join(http.send(part) or b"" for part in parts))


def handle(conn: net.Conn) -> None:
    http = h11.Connection(h11.SERVER)
    with conn:
        try:
            while isinstance(request := next_event(conn, http), h11.Request):
                reply(conn, http, *answer(request, body_of(conn, http)))
                if http.our_state is not h11.DONE:
                    break  # the client wanted it closed
                http.start_next_cycle()
        except h11.RemoteProtocolError as error:
            if http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                reply(conn, http, error.error_status_hint, f"Bad request: {error}\n".encode())
        except OSError:
            pass  # gone, or silent for too long


def main(address: str) -> None:
    with net.listen(address) as listener:
        print(f"listening on {listener.address}", flush=True)
        for conn in listener:
            go(handle, conn)


if __name__ == "__main__":
    run(main, sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8080")
