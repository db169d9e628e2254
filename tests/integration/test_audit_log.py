"""The audit log of the whole program has every change of a name, even if extdns is killed at every write."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.fakes.apiserver.server import ApiServer
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author
from tests.fakes.service.faults import Stall
from tests.objects import service
from tests.program.installation import Installation
from tests.program.process import HANGS_S, ExtdnsProcess, once, running
from tests.route53 import environ

NAME: Final = "x.example.org"
FLAGS: Final = (
    "--interval=1s",
    "--delete-grace-period=0s",
    "--max-delete-percent=100",
    "--refresh-calls-per-minute=600",
)


class Made(NamedTuple):
    """One change that was made: what was done, from what, to what, and for which object."""

    action: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    resource: str


HISTORY: Final = [
    Made("create", (), ("192.0.2.1",), "service/shop/x"),
    Made("update", ("192.0.2.1",), ("192.0.2.2",), "service/shop/x"),
    Made("delete", ("192.0.2.2",), (), "service/shop/x"),
]


class Site:
    """An installation that writes an audit log, in front of Route 53."""

    def __init__(self, folder: Path, server: ApiServer, route53: Route53) -> None:
        self.path = folder / "audit.log"
        self.route53 = route53
        self.zone_id = route53.add_zone("example.org")
        self.installation = Installation(folder, server, sources=("service",), dns_flags=("--provider=aws",))

    def start(self) -> Any:  # noqa: ANN401 - a context manager
        flags = self.installation.flags(*FLAGS, f"--audit-log={self.path}")
        return running(*flags, env=environ(self.route53))

    def grep(self) -> list[dict[str, Any]]:
        """Return the complete lines of the audit log about the name, as `grep` finds them."""
        if not self.path.exists():
            return []
        command = ["grep", "--fixed-strings", f'"name":"{NAME}","objects":', str(self.path)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        return [json.loads(line) for line in found.stdout.splitlines()]

    def list_changes(self) -> list[dict[str, Any]]:
        """Return the last line of each change of the name, in the order of the intents."""
        return list({line["id"]: line for line in self.grep()}.values())

    def list_made(self) -> list[Made]:
        """Return the changes that were made, according to the audit log alone."""
        lines = (line for line in self.list_changes() if line["outcome"] == "applied" or line["found"] == "after")
        return [
            Made(line["action"], find_targets(line["before"]), find_targets(line["after"]), line["resource"])
            for line in lines
        ]

    def list_applied(self) -> list[tuple[str, ...]]:
        """Return the targets of the name after each change that Route 53 carried out for extdns."""
        edits = (one for one in self.route53.edits(self.zone_id, by=Author.API))
        named = (one for one in edits if (one.after or one.before).name == f"{NAME}.")  # type: ignore[union-attr]
        return [tuple(one.after.values) if one.after else () for one in named]

    def is_resolved(self, count: int) -> bool:
        """Return whether *count* changes were made, and it is known of every change whether it was."""
        return len(self.list_made()) == count and not [line for line in self.list_changes() if is_open(line)]


def find_targets(data: dict[str, Any] | None) -> tuple[str, ...]:
    return tuple(data["targets"]) if data else ()


def is_open(line: dict[str, Any]) -> bool:
    return bool(line["phase"] == "intent" or (line["phase"] == "outcome" and line["outcome"] == "unknown"))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ApiServer() as server, Route53() as route53:
        yield Site(tmp_path, server, route53)


def change(site: Site, number: int) -> None:
    """Make the change of the object that causes the change with *number* in `HISTORY`."""
    if number == len(HISTORY) - 1:
        site.installation.server.delete("Service", "shop", "x")
    else:
        site.installation.apply(service("x", address=f"192.0.2.{number + 1}"))


def kill(program: ExtdnsProcess) -> None:
    assert program.end(signal.SIGKILL) == -signal.SIGKILL


@pytest.mark.parametrize("is_applied", [pytest.param(False, id="before"), pytest.param(True, id="after")])
def test_the_audit_log_shows_each_change_with_its_outcome_though_extdns_was_killed_before_or_after_it_was_applied(
    site: Site, is_applied: bool
) -> None:
    for number in range(len(HISTORY)):
        with site.start() as program:
            program.until("All records are already up to date" if number else "Nothing to plan")
            stall = Stall(worked=is_applied)
            armed = site.route53.faults.arm(stall, action=CHANGE)
            change(site, number)
            assert stall.reached.wait(HANGS_S)
            kill(program)
            armed.release()
        assert is_open(site.grep()[-1]), "the intent was written before the call"
        with site.start() as program:
            site.installation.until(lambda: site.is_resolved(number + 1))  # noqa: B023 - called at once
            kill(program)
    assert site.list_made() == HISTORY
    assert [one.after for one in site.list_made()] == [after for after in site.list_applied() if after] + [()]
    reasons = {line["evidence"] or line["reason"] for line in site.list_changes()}
    assert reasons <= {"requested", "changed", "object-deleted", "absent", "orphan-gone"}
    for line in site.list_changes():
        if line["action"] != "delete":
            (requester,) = line["objects"]
            assert (requester["uid"], requester["name"]) == ("shop-x", "x")
            assert requester["resourceVersion"]


def test_an_audit_log_that_cannot_be_written_does_not_stop_extdns_and_is_shown_by_log_probe_and_metric(
    site: Site,
) -> None:
    site.path.mkdir()
    pipe = site.path.with_name("pipe")
    os.mkfifo(pipe)
    for path in (site.path, pipe, Path("/dev/null")):
        usage = once(*site.installation.flags("--once", f"--audit-log={path}"), env=environ(site.route53))
        assert usage.returncode == 1
        assert f"--audit-log={path} is not a file" in usage.stderr
    site.path = site.path / "missing" / "audit.log"
    site.installation.apply(service("x"))
    with site.start() as program:
        program.until("Cannot write the audit log")
        program.until("successfully updated")
        site.installation.until(lambda: program.get("/readyz")[0] == HTTPStatus.OK)
        audit = json.loads(program.get("/readyz")[1])["audit"]
        assert audit["message"] == f"No such file or directory: {site.path}"
        assert "\nextdns_audit_log_failing 1.0" in program.get("/metrics")[1]
        site.path.parent.mkdir()
        program.until("The audit log can be written again")
        assert "\nextdns_audit_log_failing 0.0" in program.get("/metrics")[1]
        assert [line["phase"] for line in site.grep()] == ["intent", "outcome"]
        assert "audit" not in json.loads(program.get("/readyz")[1])
        assert program.end() == 0


def test_one_pass_that_loses_lines_of_the_audit_log_says_how_many_and_fails(site: Site) -> None:
    path = site.path / "missing" / "audit.log"
    site.installation.apply(service("x"))
    usage = once(*site.installation.flags("--once", f"--audit-log={path}"), env=environ(site.route53))
    assert "successfully updated" in usage.stderr
    assert "Lines of a log were not written before the process ended" in usage.stderr
    assert f'lines=2 log=audit message="No such file or directory: {path}"' in usage.stderr
    assert usage.returncode == 1
    usage = once(*site.installation.flags("--once", f"--audit-log={path}"), env=environ(site.route53))
    assert usage.returncode == 0, "nothing was changed, so there was nothing to write"


def test_the_audit_log_on_standard_output_is_separate_from_the_log_and_independent_of_its_level(site: Site) -> None:
    site.installation.apply(service("x"))
    flags = site.installation.flags("--once", "--audit-log=stdout", "--log-level=fatal")
    ended = once(*flags, env=environ(site.route53))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [json.loads(line)["phase"] for line in ended.stdout.splitlines()] == ["intent", "outcome"]


def test_a_dry_run_writes_no_audit_log(site: Site) -> None:
    site.installation.apply(service("x"))
    flags = site.installation.flags("--once", "--dry-run", f"--audit-log={site.path}")
    assert once(*flags, env=environ(site.route53)).returncode == 0
    assert not site.path.exists()
