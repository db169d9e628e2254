"""The service in a process of its own, for benches: what it costs is nobody's figure.

Orders go to its standard input, one JSON object a line, and each is answered by one line of JSON; it ends when standard
input does. `python -m tests.fakes.route53 --help` tells how it is started by hand.
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
    """The process, from outside.

    Attributes:
        url: where it listens.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url: str = self._answer()["url"]

    def add_zone(self, name: str, **given: Any) -> str:  # noqa: ANN401 - as `Route53.add_zone` takes them
        """Make a hosted zone; gives its id."""
        zone_id: str = self._order("add_zone", name=name, **given)
        return zone_id

    def put(self, zone_id: str, records: Iterable[Json]) -> None:
        """Create or replace record sets, unchecked."""
        self._order("put", zone_id=zone_id, records=list(records))

    def shown(self, zone_id: str, *, name: str | None = None) -> list[dict[str, Any]]:
        """List record sets in the form of boto3."""
        shown: list[dict[str, Any]] = self._order("shown", zone_id=zone_id, name=name)
        return shown

    def calls(self, *, clear: bool = False) -> list[dict[str, Any]]:
        """List the calls so far: action, zone_id, status, code, came_s, answered_s, and changes by action and name.

        Seconds are monotonic, which all processes of a machine share.
        """
        calls: list[dict[str, Any]] = self._order("calls", clear=clear)
        return calls

    def protect(self, zone_id: str, name: str, kind: str) -> None:
        """Let the service refuse whatever changes record sets of that name and type."""
        self._order("protect", zone_id=zone_id, name=name, kind=kind)

    def refuse(self, status: int, code: str, *, times: int | None = 1, action: str | None = None) -> None:
        """Let the next calls run into an error."""
        self._order("refuse", status=status, code=code, times=times, action=action)

    def drop(self, *, worked: bool, times: int | None = 1, action: str | None = None) -> None:
        """Let the next calls lose their connection, before they are carried out or after."""
        self._order("drop", worked=worked, times=times, action=action)

    def _order(self, order: str, **given: Any) -> Any:  # noqa: ANN401 - JSON
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"order": order, **given}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:  # noqa: ANN401 - JSON
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError("the process of the fake ended")
        return json.loads(line)


@contextmanager
def serving(*arguments: str) -> Iterator[Remote]:
    """Start it with these *arguments* of the command line, and end it afterwards."""
    command = [sys.executable, "-m", "tests.fakes.route53", *arguments]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        try:
            yield Remote(process)
        finally:
            process.terminate()


def obey(fake: Route53, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Carry out orders until they end.

    Raises:
        SystemExit: There is no such order.
    """
    for line in lines:
        given = json.loads(line)
        say(json.dumps(_obeyed(fake, given.pop("order"), given)))


def _obeyed(fake: Route53, order: str, given: Mapping[str, Any]) -> object:
    match order:
        case "add_zone":
            return fake.add_zone(**given)
        case "put":
            fake.put(given["zone_id"], *given["records"])
            return None
        case "protect":
            fake.protect(given["zone_id"], given["name"], given["kind"])
            return None
        case "shown":
            return fake.shown(given["zone_id"], name=given["name"])
        case "calls":
            calls = [_told(call) for call in fake.log.calls()]
            if given["clear"]:
                fake.log.clear()
            return calls
        case "refuse":
            refuse = Refuse(given["status"], given["code"])
            fake.faults.arm(refuse, action=given["action"], times=given["times"])
            return None
        case "drop":
            fake.faults.arm(Drop(worked=given["worked"]), action=given["action"], times=given["times"])
            return None
        case _:
            raise SystemExit(f"no order: {order}")


def _told(call: Call) -> dict[str, object]:
    return {
        "action": call.action,
        "zone_id": call.zone_id,
        "status": call.status,
        "code": call.code,
        "came_s": call.came_s,
        "answered_s": call.answered_s,
        "changes": [[change.action.value, change.record.name, change.record.type] for change in call.changes],
    }
