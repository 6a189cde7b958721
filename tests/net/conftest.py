"""Every test of the network is run with both pollers, and in both spellings; and whose certificate there is for TLS."""

from __future__ import annotations

import shutil

import pytest

from gosched.core.kernel import has_epoll

from .nets import SPELLINGS, WORLDS, NetWorld
from .peers import Certificate


@pytest.fixture(autouse=True, params=["epoll", pytest.param("selectors", marks=pytest.mark.slow)])
def poller(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "epoll" and not has_epoll:
        pytest.skip("this system has no epoll")
    monkeypatch.setenv("GOSCHED_POLLER", name)
    return name


@pytest.fixture(params=WORLDS, ids=repr)
def w(request: pytest.FixtureRequest) -> NetWorld:
    """Every spelling, on one P and on two."""
    world: NetWorld = request.param
    return world


@pytest.fixture(params=SPELLINGS, ids=repr)
def either(request: pytest.FixtureRequest) -> NetWorld:
    """Either spelling, where the number of Ps does not matter."""
    world: NetWorld = request.param
    return world


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl command to make a certificate with")
    return Certificate(tmp_path_factory.mktemp("tls"))
