"""`extdns` without a subcommand, in this process."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.commands import run
from extdns.config import Config, parse
from extdns.errors import UsageError
from tests.integration.stage import Stage, service


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    found = Stage(tmp_path, example_org="")
    found.apply(service("web", "web.example.org"))
    return found


def config(stage: Stage, *more: str) -> Config:
    """The flags of *more* in the place of ours, if they are the same."""
    flags = [
        f"--manifests={stage.manifests}",
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--txt-owner-id=me",
        "--metrics-address=127.0.0.1:0",
    ]
    replaced = {flag.partition("=")[0] for flag in more} - {"--source"}
    return parse([*(flag for flag in flags if flag.partition("=")[0] not in replaced), *more], {})


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Hold every test to ending the threads that it began; those that read or write may end a little later."""
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    assert not set(left) & {"manifests", "follower", "web"}


def test_a_pass_is_done_with_exit_code_0(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(config(stage, "--once")) == 0
    assert stage.published() == ["web.example.org A 192.0.2.1"]
    assert capsys.readouterr().out == ""


def test_a_dry_run_prints_its_plan(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(config(stage, "--once", "--dry-run")) == 0
    assert capsys.readouterr().out == (
        "Zone example.org (example.org.zone, zonefile)  1 record, 0 ours\n\n"
        "  + A  web.example.org  192.0.2.1  Service shop/web: annotation hostname\n\n"
        "1 to create, 0 to update, 0 to delete.\n"
    )
    assert stage.published() == []


def test_a_pass_in_which_something_failed_is_1(stage: Stage) -> None:
    stage.apply(service("web", "web.example.org", annotations={"set-identifier": "blue"}))
    assert run.main(config(stage, "--once")) == 1


def test_a_pass_in_which_something_is_held_is_3(stage: Stage) -> None:
    run.main(config(stage, "--once"))
    stage.apply(service("web", "web.example.org", namespace="elsewhere"))
    assert run.main(config(stage, "--once", "--namespace=other")) == 3
    assert stage.published() == ["web.example.org A 192.0.2.1"]


def test_a_pass_with_a_defect_is_1(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, __: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("extdns.controller.teller.Teller.decided", broken)
    assert run.main(config(stage, "--once")) == 1
    assert stage.published() == ["web.example.org A 192.0.2.1"]


@pytest.mark.parametrize(
    ("mode", "code"), [pytest.param(["--once"], 1, id="once"), pytest.param([], 0, id="on and on")]
)
def test_a_signal_while_it_is_set_up_ends_it_cleanly(
    stage: Stage,
    mode: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assemble = assembly.assemble

    def signalled(given: Config) -> Assembly:
        os.kill(os.getpid(), signal.SIGTERM)
        return assemble(given)

    monkeypatch.setattr(assembly, "assemble", signalled)
    assert run.main(config(stage, *mode)) == code
    assert "Received SIGTERM. Terminating..." in capsys.readouterr().err


def test_what_cannot_be_listened_on_leaves_nothing_running(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot be listened on"):
        run.main(config(stage, f"--metrics-address=127.0.0.1:{taken.getsockname()[1]}"))


@pytest.mark.parametrize(
    "wrong", ["--txt-prefix= ", "--service-type-filter=x", "--zonefile-dir=/nowhere", "--manifests=/nowhere"]
)
def test_a_mistake_that_only_a_room_can_see_leaves_nothing_running(stage: Stage, wrong: str) -> None:
    with pytest.raises(UsageError):
        run.main(config(stage, wrong))


def test_the_configuration_is_logged_once_with_what_means_nothing(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    run.main(config(stage, "--once", "--source=ingress", "--events", "--dry-run"))
    said = capsys.readouterr().err.splitlines()
    (configured,) = (line for line in said if "msg=Configuration" in line)
    for part in ("once=true", "compat=false", 'source="service, ingress"', "interval=1m", "txt-owner-id=me"):
        assert f" {part}" in configured
    (moot,) = (line for line in said if "level=warning" in line)
    assert "--events has no effect" in moot
    (dry,) = (line for line in said if "dry-run mode" in line)
    assert 'msg="running in dry-run mode. No changes to DNS records will be made."' in dry
