"""Run the fake Route 53 in a process of its own, so that benchmarks do not measure its CPU time.

Each command on standard input is one line of JSON, and so is its answer. The process ends when standard input ends.
`python -m tests.fakes.route53 --help` shows how to start it by hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.fakes.route53.log import Call
from tests.fakes.route53.records import Json
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Drop, Refuse

_ROOT: Final = Path(__file__).parents[3]


class Remote:
    """A fake Route 53 that runs in another process.

    Attributes:
        url: the URL of the service.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url: str = self._answer()["url"]

    def add_zone(self, name: str, **original: Any) -> str:  # noqa: ANN401 - as `Route53.add_zone` takes them
        zone_id: str = self._send_command("add_zone", name=name, **original)
        return zone_id

    def put(self, zone_id: str, records: Iterable[Json]) -> None:
        self._send_command("put", zone_id=zone_id, records=list(records))

    def shown(self, zone_id: str, *, name: str | None = None) -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = self._send_command("shown", zone_id=zone_id, name=name)
        return shown

    def calls(self, *, clear: bool = False) -> list[dict[str, Any]]:
        """Return the calls so far: action, zone_id, status, code, came_s, answered_s, and changes by action and name.

        Times are monotonic seconds, which are the same in all processes of a machine.
        """
        calls: list[dict[str, Any]] = self._send_command("calls", clear=clear)
        return calls

    def protect(self, zone_id: str, name: str, kind: str) -> None:
        self._send_command("protect", zone_id=zone_id, name=name, kind=kind)

    def refuse(self, status: int, code: str, *, times: int | None = 1, action: str | None = None) -> None:
        """Answer the next calls with an error."""
        self._send_command("refuse", status=status, code=code, times=times, action=action)

    def drop(self, *, worked: bool, times: int | None = 1, action: str | None = None) -> None:
        """Cut the connection of the next calls. With *worked*, they are carried out before."""
        self._send_command("drop", worked=worked, times=times, action=action)

    def _send_command(self, order: str, **original: Any) -> Any:  # noqa: ANN401 - JSON
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"order": order, **original}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:  # noqa: ANN401 - JSON
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError("the process of the fake Route 53 ended")
        return json.loads(line)


@contextmanager
def run_process(*arguments: str) -> Iterator[Remote]:
    """Start the process with *arguments* of the command line, and end it at the end of the block."""
    command = [sys.executable, "-m", "tests.fakes.route53", *arguments]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            yield Remote(process)
        finally:
            process.terminate()


def run_commands(fake: Route53, lines: Iterable[str], print_line: Callable[[str], None]) -> None:
    """Carry out the commands in *lines*."""
    for line in lines:
        original = json.loads(line)
        print_line(json.dumps(_run_command(fake, original.pop("order"), original)))


def _run_command(fake: Route53, order: str, original: Mapping[str, Any]) -> object:
    match order:
        case "add_zone":
            return fake.add_zone(**original)
        case "put":
            fake.put(original["zone_id"], *original["records"])
            return None
        case "protect":
            fake.protect(original["zone_id"], original["name"], original["kind"])
            return None
        case "shown":
            return fake.shown(original["zone_id"], name=original["name"])
        case "calls":
            calls = [_describe_call(call) for call in fake.log.calls()]
            if original["clear"]:
                fake.log.clear()
            return calls
        case "refuse":
            refuse = Refuse(original["status"], original["code"])
            fake.faults.arm(refuse, action=original["action"], times=original["times"])
            return None
        case "drop":
            fake.faults.arm(Drop(worked=original["worked"]), action=original["action"], times=original["times"])
            return None
        case _:
            raise SystemExit(f"no order: {order}")


def _describe_call(call: Call) -> dict[str, object]:
    return {
        "action": call.action,
        "zone_id": call.zone_id,
        "status": call.status,
        "code": call.code,
        "came_s": call.came_s,
        "answered_s": call.answered_s,
        "changes": [[change.action.value, change.record.name, change.record.type] for change in call.changes],
    }
