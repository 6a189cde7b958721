"""An echo server in the plain spelling, without async and await: a goroutine for each connection, straight-line code.

python examples/echo_server_plain.py 127.0.0.1:7007      and then:  nc 127.0.0.1 7007
"""

from __future__ import annotations

import sys

from gosched import go, net, run


def handle(conn: net.Conn) -> None:
    with conn:
        try:
            while data := conn.read():  # waits here, and its thread goes on with others
                conn.write(data)  # and here, if the client does not read
        except OSError:
            pass  # gone


def main(address: str) -> None:
    with net.listen(address) as listener:
        print(f"listening on {listener.address}", flush=True)
        for conn in listener:
            go(handle, conn)


if __name__ == "__main__":
    run(main, sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7007")
