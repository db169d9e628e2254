"""The whole program with a fake API server and a strict fake of a DNS service.

Time that a test lets pass does not count for requests. To check that something stays unchanged, a test first publishes
a later change and then compares.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.request import urlopen

import pytest

from extdns import cli
from tests import cloudmap
from tests.azure import write_config
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.azure.server import Azure
from tests.fakes.azure.values import build_records, list_values
from tests.fakes.clouddns.log import CHANGE as GOOGLE_CHANGE
from tests.fakes.clouddns.server import PROJECT, CloudDns
from tests.fakes.cloudflare.server import TOKEN, Cloudflare
from tests.fakes.cloudflare.values import group_values
from tests.fakes.cloudmap import records as cloudmap_records
from tests.fakes.cloudmap.server import CloudMap
from tests.fakes.route53.log import CHANGE as AWS_CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Fault, Faults, Refuse
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HANGS_S, Running
from tests.route53 import environ

FOREIGN: Final = "theirs"
OFTEN: Final = ("--interval=1m", "--refresh-calls-per-minute=600")
"""Flags with which zones are read again every minute."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """A DNS service with a zone example.org that holds a foreign record.

    Attributes:
        flags: the flags with which extdns uses this service.
        variables: environment variables with which extdns uses this service.
        faults: the faults of the fake, to be armed by tests.
        busy: the fault of a throttled call.
        change: the API action that writes records.
        writes: returns the number of write calls so far.
        read: yields name, type and values of each record set.
        put: writes a foreign record: name, type, TTL in seconds, value.
        is_atomic: whether a record and its ownership record are written together.
    """

    flags: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    faults: Faults
    busy: Fault
    change: str
    writes: Callable[[], int]
    read: Callable[[], Iterator[tuple[str, str, tuple[str, ...]]]]
    put: Callable[[str, str, int, str], None]
    is_atomic: bool = True

    def records(self) -> dict[str, tuple[str, ...]]:
        """Return name and type (`web A`) of each record of ours with its targets, without ownership records."""
        return {
            f"{name.removesuffix('.example.org.')} {rtype}": tuple(value.removesuffix(".") for value in values)
            for name, rtype, values in self.read()
            if "heritage=" not in values[0] and not name.startswith(f"{FOREIGN}.")
        }

    def published(self) -> set[str]:
        """Return the first label of each name that `records` returns."""
        return {name.partition(" ")[0] for name in self.records()}

    def check_ownership(self) -> None:
        """Check that each of our records has its ownership record, and that the foreign record exists.

        Unless a kill can leave an ownership record alone, which then has no effect, check the reverse, too.
        """
        records = {(name.removesuffix(".example.org."), rtype) for name, rtype, values in self.read()}
        ownership_labels = {name.partition(".")[0] for name, _, values in self.read() if "heritage=" in values[0]}
        ours = {f"{rtype.lower()}-{name}" for name, _, rtype in (one.partition(" ") for one in self.records())}
        assert ownership_labels >= ours
        assert ownership_labels == ours or not self.is_atomic
        assert (FOREIGN, "A") in records


@contextmanager
def route53(*more_zones: str) -> Iterator[Service]:
    """Run the fake Route 53 with example.org and *more_zones*."""
    with Route53() as fake:
        zone = fake.add_zone("example.org")
        zones = [zone, *map(fake.add_zone, more_zones)]

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
            read=lambda: ((one.name, one.type, one.values) for zone in zones for one in fake.records(zone)),
            put=put,
        )


@contextmanager
def cloud_dns(*more_zones: str) -> Iterator[Service]:
    """Run the fake Cloud DNS with example.org and *more_zones*."""
    with CloudDns() as fake:
        zone = fake.add_zone("example.org")
        zones = [zone, *map(fake.add_zone, more_zones)]

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
            read=lambda: ((one.name, one.type, one.rrdatas) for zone in zones for one in fake.records(zone)),
            put=put,
        )


@contextmanager
def azure_dns(*more_zones: str) -> Iterator[Service]:
    """Run the fake Azure with the public zones example.org and *more_zones*."""
    with Azure() as fake, TemporaryDirectory() as folder:
        zone = fake.add_zone("example.org")
        zones = [zone, *map(fake.add_zone, more_zones)]

        def put(name: str, rtype: str, ttl_s: int, value: str) -> None:
            label = name.removesuffix(".example.org")
            fake.put(zone, label, rtype, build_records(rtype, [value]), ttl=ttl_s)

        put("theirs.example.org", "A", 60, "192.0.2.66")
        yield Service(
            flags=("--provider=azure", f"--azure-config-file={write_config(Path(folder), fake)}"),
            variables={"AZURE_POD_IDENTITY_AUTHORITY_HOST": fake.url},
            faults=fake.faults,
            busy=Refuse(429, "Throttled"),
            change="PUT A",
            writes=lambda: sum(call.action.startswith(("PUT", "DELETE")) for call in fake.calls),
            read=lambda: (
                (f"{name}.{zone.name}.", rtype, list_values(found))
                for zone in zones
                for (name, rtype), found in list(zone.sets.items())
                if name != "@"
            ),
            put=put,
            is_atomic=False,
        )


@contextmanager
def cloudflare(*more_zones: str) -> Iterator[Service]:
    """Run the fake Cloudflare with example.org and *more_zones*."""
    with Cloudflare() as fake:
        zone = fake.add_zone("example.org")
        zones = [zone, *map(fake.add_zone, more_zones)]

        def put(name: str, rtype: str, ttl_s: int, value: str) -> None:
            for one in fake.list_records(zone):
                if (one["name"], one["type"]) == (name, rtype):
                    fake.delete(zone, one["id"])
            fake.put(zone, name, rtype, value, ttl=ttl_s)

        put("theirs.example.org", "A", 60, "192.0.2.66")
        yield Service(
            flags=("--provider=cloudflare", "--batch-change-interval=0s"),
            variables={"CLOUDFLARE_BASE_URL": fake.url, "CF_API_TOKEN": TOKEN},
            faults=fake.faults,
            busy=Refuse(429, "971"),
            change="POST dns_records",
            writes=lambda: sum(call.action == "POST dns_records" for call in fake.calls),
            read=lambda: (
                (f"{name}.", rtype, values)
                for zone in zones
                for (name, rtype), values in group_values(fake.list_records(zone)).items()
            ),
            put=put,
        )


@contextmanager
def cloud_map(*more_zones: str) -> Iterator[Service]:
    """Run the fake Cloud Map with the public namespaces example.org and *more_zones*."""
    with CloudMap(delay=0, page=100) as fake:
        zone = fake.add_namespace("example.org")
        zones = {zone: "example.org", **{fake.add_namespace(name): name for name in more_zones}}

        def put(name: str, rtype: str, ttl_s: int, value: str) -> None:
            cloudmap_records.put(fake, zone, name.removesuffix(".example.org"), rtype, (value,), ttl_s)

        put("theirs.example.org", "A", 60, "192.0.2.66")
        yield Service(
            flags=("--provider=aws-sd",),
            variables=cloudmap.environ(fake),
            faults=fake.faults,
            busy=Refuse(400, "RequestLimitExceeded"),
            change="RegisterInstance",
            writes=lambda: sum(not action.startswith(("Get", "List")) for action in fake.actions),
            read=lambda: (
                (f"{name}.{zones[zone]}.", rtype, found.values)
                for zone in zones
                for (name, rtype), found in cloudmap_records.list_records(fake, zone).items()
            ),
            put=put,
            is_atomic=False,
        )


SERVICES: Final[Mapping[str, Callable[..., AbstractContextManager[Service]]]] = {
    "route53": route53,
    "cloud-dns": cloud_dns,
    "azure": azure_dns,
    "cloudflare": cloudflare,
    "cloud-map": cloud_map,
}


class Production(Installation):
    """An installation with a DNS service, whose processes run one after the other."""

    def __init__(self, root: Path, server: ApiServer, dns: Service, patch: pytest.MonkeyPatch) -> None:
        super().__init__(root, server, sources=("service", "ingress", "crd"), dns_flags=dns.flags)
        self.dns = dns
        self._root = root
        self._patch = patch
        self._markers = count()
        for name, value in {**dns.variables, "POD_NAMESPACE": "dns"}.items():
            patch.setenv(name, value)

    def flags(self, *more: str, owner: str = "me") -> list[str]:
        """Return the flags of an extdns process, with *more* at the end."""
        names = {flag.partition("=")[0] for flag in more}
        policy = ["--policy=sync"] if "--compat" in names else []
        interval = [] if "--interval" in names else ["--interval=1h"]
        return super().flags("--web-address=127.0.0.1:0", *policy, *interval, *more, owner=owner)

    @contextmanager
    def process(self, *flags: str, fast_s: float = 0.0) -> Iterator[Running]:
        """Start extdns as `start` does, and wait for its first full pass."""
        with self.start(*flags, fast_s=fast_s) as running:
            self.until(running.controller.first_pass_done.is_set)
            yield running

    @contextmanager
    def copy_cluster(self) -> Iterator[Production]:
        """Create another cluster without objects that shares the zone."""
        root = self._root / "copy"
        root.mkdir()
        with ApiServer() as server:
            yield Production(root, server, self.dns, self._patch)

    def until_published(self, *names: str) -> None:
        """Wait until exactly *names* are published, besides marker names."""
        self.until(lambda: self.published() == set(names))

    def published(self) -> set[str]:
        """Return the first labels of all names of ours, without marker names."""
        return {name for name in self.dns.published() if not name.startswith("marker-")}

    def writes(self) -> int:
        return self.dns.writes()

    def wait_for_marker(self, **more: Any) -> None:  # noqa: ANN401 - as `service`
        """Wait until a new marker name is published: extdns has then seen all earlier changes of its namespace."""
        name = f"marker-{next(self._markers)}"
        self.apply(service(name, **more))
        self.until(lambda: name in self.dns.published())

    def state(self) -> str:
        found = self.server.get("ConfigMap", "dns", "extdns-state")
        return str(found["data"]) if found else ""

    def events(self, reason: str) -> dict[str, str]:
        """Return the message of each Event with *reason*, by the name of its object."""
        found = [event for event in self.server.objects("Event") if event["reason"] == reason]
        return {event["regarding"]["name"]: event["note"] for event in found}

    def run(self, *arguments: str) -> int:
        """Run another extdns command and return its exit code."""
        return cli.main([*arguments, self._cluster_flag], dict(os.environ))

    def approve(self, running: Running) -> None:
        """Approve the held deletes with the command that the log shows."""
        line = running.until("Deletes are held")
        (code,) = re.findall(r"extdns approve ([0-9a-f-]+)", line)
        self.until(lambda: code in self.state())
        assert self.run("approve", code) == 0
        running.pass_time(11.0)


def read_page(running: Running, path: str = "") -> str:
    with urlopen(f"http://127.0.0.1:{running.page.port}/{path}", timeout=HANGS_S) as response:
        return str(response.read().decode())
