"""Who may ask, over real sockets: tokens, names, origins, methods, sizes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from gosched.errors import GoschedError
from gosched.web.address import Address, parse

from .conftest import Page, serving


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One for all: what is refused leaves no trace in it."""
    with serving(tmp_path_factory.mktemp("guard")) as serve:
        yield serve()


def test_the_token_opens_the_page_and_the_cookie_keeps_it_open(page: Page) -> None:
    status, headers, text = page.ask(f"/?token={page.token}", Cookie="")
    assert status == 200
    assert "<title>gosched view</title>" in text
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.ask("/")[0] == 200
    assert page.ask("/about")[0] == 200


@pytest.mark.parametrize("path", ["/", "/about", "/stream", "/assets/main.js", "/goroutine/1", "/nowhere"])
def test_without_the_token_nothing_is_told(page: Page, path: str) -> None:
    for cookie in ("", "other=1", f"gosched_view_{page.port}=wrong", f"gosched_view_{page.port}={page.token[:-1]}", "\x7f=;;"):
        status, headers, text = page.ask(path, Cookie=cookie)
        assert status == 403
        assert "needs the token" in text
        assert "set-cookie" not in headers
    assert page.ask(f"{path}?token=wrong", Cookie="")[0] == 403
    assert page.ask(f"{path}?token={page.token}&token=wrong", Cookie="")[0] == 403


def test_a_foreign_name_is_refused(page: Page) -> None:
    """DNS rebinding: the name is another's, the address ours."""
    for host in (
        "evil.example",
        f"evil.example:{page.port}",
        "127.0.0.1:1",
        "8.8.8.8",
        f"8.8.8.8:{page.port}",
        f"localhost.evil.example:{page.port}",
    ):
        assert page.ask(f"/?token={page.token}", Host=host)[0] == 421
    for host in (f"localhost:{page.port}", f"LOCALHOST:{page.port}", f"[::1]:{page.port}", f"127.0.0.1:{page.port}"):
        assert page.ask("/about", Host=host)[0] == 200


def test_another_site_is_refused(page: Page) -> None:
    for path in ("/stream", "/about", "/goroutine/1"):
        assert page.ask(path, Origin="http://evil.example")[0] == 403
        assert page.ask(path, Origin="null")[0] == 403
        assert page.ask(path, Origin=f"https://{page.name}")[0] == 403
        for site in ("cross-site", "same-site"):
            assert page.ask(path, Sec_Fetch_Site=site)[0] == 403
    assert page.ask("/about", Origin=f"http://{page.name}", Sec_Fetch_Site="same-origin")[0] == 200
    assert page.ask("/", Sec_Fetch_Site="cross-site")[0] == 403
    assert page.ask(f"/?token={page.token}", Sec_Fetch_Site="cross-site")[0] == 200  # the address, clicked on in a chat


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_only_get(page: Page, method: str) -> None:
    status, headers, text = page.ask("/about", method, b"x" * 100)
    assert status == 405
    assert headers["allow"] == "GET, HEAD"
    assert method in text


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/assets/",
        "/assets/none.js",
        "/assets/../app.py",
        "/assets/..%2fapp.py",
        "/assets/%2e%2e/app.py",
        "/../../etc/passwd",
        "//etc/passwd",
        "/goroutine/0",
        "/goroutine/-1",
        "/goroutine/x",
        "/goroutine/999999999999999999999",
        "/goroutine/1/2",
        "/goroutine/%00",
        "/goroutine/٣",
    ],
)
def test_what_is_not_there_is_not_found(page: Page, path: str) -> None:
    raw = path.encode()
    with socket.create_connection((page.host, page.port), 30) as sock:
        sock.sendall(
            b"GET %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nConnection: close\r\n\r\n" % (raw, page.name.encode(), page.cookie["Cookie"].encode())
        )
        answer = read_all(sock)
    assert answer.split(b" ")[1] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"import" not in answer


def test_an_address_or_a_head_that_is_too_long(page: Page) -> None:
    assert page.ask("/about?" + "x" * 2_000)[0] == 414
    with socket.create_connection((page.host, page.port), 30) as sock:
        try:
            sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: " + b"x" * 200_000 + b"\r\n\r\n")
            answer = read_all(sock)
        except OSError:
            answer = b""  # it has closed the connection while we wrote
    assert answer == b"" or answer.split(b" ")[1] in (b"400", b"431")
    assert page.ask("/about")[0] == 200


@pytest.mark.parametrize(
    "raw",
    [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b""],
)
def test_what_is_no_request(page: Page, raw: bytes) -> None:
    with socket.create_connection((page.host, page.port), 30) as sock:
        sock.sendall(raw)
        sock.shutdown(socket.SHUT_WR)
        answer = read_all(sock)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert page.ask("/about")[0] == 200


def test_a_request_without_a_host_or_with_two(page: Page) -> None:
    for hosts in (b"", b"Host: %s\r\nHost: evil.example\r\n" % page.name.encode()):
        with socket.create_connection((page.host, page.port), 30) as sock:
            sock.sendall(b"GET /about HTTP/1.1\r\n%sCookie: %s\r\nConnection: close\r\n\r\n" % (hosts, page.cookie["Cookie"].encode()))
            assert read_all(sock).split(b" ")[1] in (b"400", b"421")


def read_all(sock: socket.socket) -> bytes:
    found = b""
    while data := sock.recv(65_536):
        found += data
    return found


def test_addresses_that_are_read() -> None:
    assert parse("127.0.0.1:80") == Address("127.0.0.1", 80)
    assert parse("[::1]:8080") == Address("::1", 8080)
    assert Address("::1", 8080).text == "[::1]:8080"
    everywhere = Address("0.0.0.0", 8080)
    assert everywhere.called("192.168.1.7:8080")
    assert not everywhere.called("evil.example:8080")
    assert Address("box.lan", 80).called("box.lan")
    for wrong in ("here", ":80", "here:", "here:http", "here:99999", "1"):
        with pytest.raises(GoschedError, match="must be host:port"):
            parse(wrong)
