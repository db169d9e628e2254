"""The whole program, over an API server and a DNS service that is as strict as the real one.

Time that tests let pass does not pass for requests; what shall be seen to stay as it is, is looked at once something
that happened later has been published.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.clouddns.log import CHANGE as GOOGLE_CHANGE
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.route53.log import CHANGE as AWS_CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Fault, Faults, Refuse
from tests.incidents.objects import Json, service
from tests.integration.live import HANGS_S, Running, program
from tests.route53 import environ

FOREIGN: Final = "theirs"
OFTEN: Final = ("--interval=1m", "--audit-calls-per-minute=600")
"""Zones are read again once a minute has passed."""
_PATIENCE: Final = Event()


@dataclass(frozen=True, kw_only=True)
class Service:
    """A zone example.org in which somebody else has a record.

    Attributes:
        flags: lead the program there.
        variables: of the environment, too.
        faults: arm them to let calls fail.
        busy: the fault of a service that is asked too often.
        change: the action that writes.
        writes: how many calls of it there were.
        read: name, type and values of all record sets.
        put: lets somebody else put a record: name, type, TTL, value.
    """

    flags: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    faults: Faults
    busy: Fault
    change: str
    writes: Callable[[], int]
    read: Callable[[], Iterator[tuple[str, str, tuple[str, ...]]]]
    put: Callable[[str, str, int, str], None]

    def holds(self) -> dict[str, tuple[str, ...]]:
        """`web A` → its targets, without marks and what is of somebody else."""
        return {
            f"{name.removesuffix('.example.org.')} {rtype}": tuple(value.removesuffix(".") for value in values)
            for name, rtype, values in self.read()
            if "heritage=" not in values[0] and not name.startswith(f"{FOREIGN}.")
        }

    def published(self) -> set[str]:
        """The first labels of what `holds` names."""
        return {name.partition(" ")[0] for name in self.holds()}

    def whole(self) -> None:
        """Check that each record stands with its mark, each mark with its record, and what is not ours as it was."""
        records = {(name.removesuffix(".example.org."), rtype) for name, rtype, values in self.read()}
        marks = {name.partition(".")[0] for name, _, values in self.read() if "heritage=" in values[0]}
        ours = {f"{rtype.lower()}-{name}" for name, rtype in map(_split, self.holds())}
        assert marks == ours
        assert (FOREIGN, "A") in records


@contextmanager
def route53() -> Iterator[Service]:
    """The fake Route 53."""
    with Route53() as fake:
        zone = fake.add_zone("example.org")

        def put(name: str, rtype: str, ttl_s: int, value: str) -> None:
            fake.put(zone, {"Name": name, "Type": rtype, "TTL": ttl_s, "ResourceRecords": [value]})

        put("theirs.example.org", "A", 60, "192.0.2.66")
        yield Service(
            flags=("--provider=aws", "--aws-batch-change-interval=0s"),
            variables=environ(fake),
            faults=fake.faults,
            busy=Refuse(400, "Throttling"),
            change=AWS_CHANGE,
            writes=lambda: sum(call.action == AWS_CHANGE for call in fake.log.calls()),
            read=lambda: ((one.name, one.type, one.values) for one in fake.records(zone)),
            put=put,
        )


@contextmanager
def cloud_dns() -> Iterator[Service]:
    """The fake Cloud DNS."""
    with CloudDns() as fake:
        zone = fake.add_zone("example.org")

        def put(name: str, rtype: str, ttl_s: int, value: str) -> None:
            fake.put(zone, {"name": f"{name}.", "type": rtype, "ttl": ttl_s, "rrdatas": [value]})

        put("theirs.example.org", "A", 60, "192.0.2.66")
        yield Service(
            flags=(
                "--provider=google",
                f"--google-project={PROJECT}",
                f"--google-api-endpoint={fake.url}",
                "--google-batch-change-interval=0s",
            ),
            faults=fake.faults,
            busy=Refuse(429, "rateLimitExceeded"),
            change=GOOGLE_CHANGE,
            writes=lambda: sum(call.action == GOOGLE_CHANGE for call in fake.log.calls()),
            read=lambda: ((one.name, one.type, one.rrdatas) for one in fake.records(zone)),
            put=put,
        )


SERVICES: Final[Mapping[str, Callable[[], AbstractContextManager[Service]]]] = {
    "route53": route53,
    "cloud-dns": cloud_dns,
}


class Production:
    """A cluster, a service, and one process after the other."""

    def __init__(self, root: Path, server: ApiServer, dns: Service, patch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.dns = dns
        self._root = root
        self.lines: list[str] = []
        self._patch = patch
        self._kubeconfig = f"--kubeconfig={server.kubeconfig(root / 'kubeconfig')}"
        self._markers = count()
        for name, value in {**dns.variables, "POD_NAMESPACE": "dns"}.items():
            patch.setenv(name, value)

    def flags(self, *more: str) -> list[str]:
        """For a process."""
        given = {flag.partition("=")[0] for flag in more}
        policy = ["--policy=sync"] if "--compat" in given else []
        interval = [] if "--interval" in given else ["--interval=1h"]
        return [
            self._kubeconfig,
            "--source=service",
            "--source=ingress",
            "--source=crd",
            "--txt-owner-id=me",
            "--metrics-address=127.0.0.1:0",
            "--web-address=127.0.0.1:0",
            *self.dns.flags,
            *policy,
            *interval,
            *more,
        ]

    def started(self, *flags: str, fast_s: float = 0.0) -> AbstractContextManager[Running]:
        """It runs, by a clock on the wall that is *fast_s* ahead."""
        return program(self, self._patch, *flags, fast_s=fast_s)  # type: ignore[arg-type]

    @contextmanager
    def process(self, *flags: str, fast_s: float = 0.0) -> Iterator[Running]:
        """It runs, and has made its first pass."""
        with self.started(*flags, fast_s=fast_s) as running:
            self.until(running.controller.settled.is_set)
            yield running

    @contextmanager
    def copied(self) -> Iterator[Production]:
        """Another cluster, empty, with the same zone."""
        root = self._root / "copy"
        root.mkdir()
        with ApiServer() as server:
            yield Production(root, server, self.dns, self._patch)

    def put(self, *objects: Json) -> None:
        self.server.put_all(objects)

    def delete(self, *objects: Json) -> None:
        for one in objects:
            self.server.delete(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"])

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until something is so."""
        end_s = time.monotonic() + HANGS_S
        while not holds():
            assert time.monotonic() < end_s, (holds, self.dns.holds())
            _PATIENCE.wait(0.005)

    def until_published(self, *names: str) -> None:
        """Wait until just these stand, and markers."""
        self.until(lambda: self.published() == set(names))

    def published(self) -> set[str]:
        """The first labels of all names of ours but markers."""
        return {name for name in self.dns.published() if not name.startswith("marker-")}

    def writes(self) -> int:
        """How many calls have written so far."""
        return self.dns.writes()

    def seen(self, **more: Any) -> None:  # noqa: ANN401 - as `service`
        """All that happened in the cluster so far has been seen, and acted upon as far as it was due."""
        name = f"marker-{next(self._markers)}"
        self.put(service(name, **more))
        self.until(lambda: name in self.dns.published())

    def state(self) -> str:
        """What the ConfigMap holds."""
        found = self.server.get("ConfigMap", "dns", "extdns-state")
        return str(found["data"]) if found else ""

    def events(self, reason: str) -> dict[str, str]:
        """What Events with *reason* say, by the name of the object."""
        found = [event for event in self.server.objects("Event") if event["reason"] == reason]
        return {event["regarding"]["name"]: event["note"] for event in found}

    def run(self, *arguments: str) -> int:
        """Run another command beside the process; its exit code."""
        return cli.main([*arguments, self._kubeconfig], dict(os.environ))

    def release(self, running: Running) -> None:
        """Release what is held as a person does, with the command that the log shows."""
        line = running.until("Deletes are held")
        (code,) = re.findall(r"extdns release ([0-9a-f-]+)", line)
        self.until(lambda: code in self.state())
        assert self.run("release", code) == 0
        running.pass_time(11.0)


def _split(shown: str) -> tuple[str, Any]:
    name, _, rtype = shown.partition(" ")
    return name, rtype
