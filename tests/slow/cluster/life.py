"""The program in a real cluster over its life, compared with what its objects request."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event, RLock, Thread
from time import monotonic
from typing import Final

from tests.fakes.route53.server import Route53
from tests.fakes.route53.zones import Author
from tests.kubernetes.cluster import Cluster, Json
from tests.objects import PREFIX, service
from tests.slow.chaos.replicas import Replica
from tests.slow.chart.tools import NAMESPACE
from tests.slow.cluster.release import Release

ZONE: Final = "example.org"
GRACE: Final = "--delete-grace-period=2s"
HAND: Final = f"hand.{ZONE}"
FOREIGN: Final = {"Name": HAND, "Type": "A", "TTL": 60, "ResourceRecords": ["198.51.100.1"]}
MANY: Final = 12
"""More names than may be deleted by absence without approval."""
STOPS: Final = 5
"""How often a process is killed in a test."""
_SHOWN_LINES: Final = 100
_STATE: Final = ("ConfigMap", NAMESPACE, "extdns-state")

Records = dict[str, tuple[str, ...]]


def build_service(name: str, namespace: str, address: str = "192.0.2.1", **metadata: object) -> Json:
    made = service(name, namespace=namespace, address=address, type="LoadBalancer", ports=[{"port": 80}])
    return made | {"metadata": made["metadata"] | metadata}


def build_services(namespace: str, count: int = MANY) -> list[Json]:
    """Return *count* load balancers in *namespace*, whose names contain that of the namespace."""
    return [build_service(f"{namespace}-{number}", namespace) for number in range(count)]


class Stops:
    """Kills the process of a replica at random moments, and starts it again, from `start` to `end`.

    Attributes:
        lock: is held while the process is not running.
        count: how often it was killed so far.
    """

    def __init__(self, process: Replica, random: Random) -> None:
        self.lock = RLock()
        self.count = 0
        self._process = process
        self._random = random
        self._ended = Event()
        self._thread = Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Leave the process running or not."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        for _ in range(STOPS):
            if self._ended.wait(10 ** self._random.uniform(-1, 0.9)):  # from 0.1 s to 8 s, of all magnitudes
                return
            with self.lock:
                self._process.end(signal.SIGKILL)
                self._ended.wait(self._random.random())
                self._process.start()
            self.count += 1


class Life:
    """The program of a release, which publishes the objects of a cluster into the zone `example.org`.

    With a *seed*, the program is killed at random moments after `begin`.

    Attributes:
        flags: the flags of the program.
        process: the process, which is running after `begin`.
        random: what a test draws.
    """

    def __init__(self, release: Release, dns: Route53, folder: Path, *, seed: int | None = None) -> None:
        self.cluster: Cluster = release.cluster
        self.release = release
        self._dns = dns
        self._zone_id = dns.add_zone(ZONE, records=[FOREIGN])
        self.flags = release.flags(GRACE, f"--domain-filter={ZONE}")
        self.process = Replica("0", folder, self.flags, release.environ(dns))
        self.random = Random(seed)
        self._stops = Stops(self.process, Random(seed))
        self._is_steady = seed is None
        self._longest_s = 0.0

    def begin(self, *objects: Json) -> None:
        """Publish *objects*, stop the program after it has saved its state, and start it again."""
        self.cluster.put_all(objects)
        self.process.start()
        self.until_published()
        self.cluster.until(lambda: (self.cluster.get(*_STATE) or {}).get("data"))
        assert self.process.end(signal.SIGTERM) == 0
        self.process.start()
        self.until_ready()
        if not self._is_steady:
            self._stops.start()

    def send_signal(self, number: signal.Signals) -> None:
        with self._stops.lock:
            self.process.send_signal(number)

    def until_ready(self) -> None:
        """Wait until the program has made its first pass, with all kinds that it can read."""
        self.cluster.until(lambda: self.process.get("/readyz")[0] == 200)

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until *condition* returns true. The process is running while it is called."""

        def is_met() -> object:
            with self._stops.lock:
                return condition()

        self.cluster.until(is_met)

    def until_published(self) -> None:
        """Wait until the zone has the records that the objects in the cluster request, and no others."""
        start_s = monotonic()
        self.until(lambda: self.published() == self.requested())
        self._longest_s = max(self._longest_s, monotonic() - start_s)

    def until_logged(self, *parts: str) -> None:
        """Wait for a log line that contains all *parts*."""
        self.until(lambda: any(all(part in line for part in parts) for line in self.process.read_logs()))

    def pass_grace_period(self) -> None:
        """Publish another name and delete it, which takes a grace period or longer. The program is not killed."""
        with self._stops.lock:
            self.cluster.put(build_service("tick", "ticks"))
            self.until(lambda: f"tick.{ZONE}" in self.published())
            self.cluster.delete("Service", "ticks", "tick")
            self.until(lambda: f"tick.{ZONE}" not in self.published())

    def published(self) -> Records:
        """Return the addresses of each name in the zone that is not foreign."""
        return {
            record.name.rstrip("."): tuple(sorted(record.values))
            for record in self._dns.records(self._zone_id)
            if record.type == "A" and record.name != f"{HAND}."
        }

    def requested(self) -> Records:
        """Return the addresses that load balancers and DNSEndpoints in the cluster request now."""
        found: Records = {}
        for one in self.cluster.objects("Service"):
            name = one["metadata"].get("annotations", {}).get(f"{PREFIX}hostname")
            addresses = [entry["ip"] for entry in one["status"]["loadBalancer"].get("ingress", ())]
            if name is not None and addresses:
                found[name] = tuple(sorted(addresses))
        for one in self.cluster.objects("DNSEndpoint"):
            for endpoint in one["spec"]["endpoints"]:
                found[endpoint["dnsName"]] = tuple(sorted(endpoint["targets"]))
        return {name: addresses for name, addresses in found.items() if name.endswith(ZONE)}

    def deleted(self) -> set[str]:
        """Return the names whose addresses the program has deleted so far."""
        return {
            edit.before.name.rstrip(".")
            for edit in self._dns.edits(self._zone_id, by=Author.API)
            if edit.before is not None and edit.before.type == "A" and edit.after is None
        }

    def restart(self) -> None:
        with self._stops.lock:
            self.process.end(signal.SIGKILL)
            self.process.start()

    def kill(self) -> None:
        """End the program, and print what it logged last: a test that fails shows it."""
        self._stops.end()
        self.process.end(signal.SIGKILL)
        print(*self.process.read_logs()[-_SHOWN_LINES:], sep="\n")

    def end(self) -> None:
        """Stop the program, and check that it ended without an error and left foreign records alone."""
        self._stops.end()
        print(f"{self._stops.count} stops, published within {self._longest_s:.1f} s")
        assert self.process.end(signal.SIGTERM) == 0
        assert self.process.exits == []
        (foreign,) = self._dns.shown(self._zone_id, name=HAND)
        assert foreign["ResourceRecords"] == [{"Value": "198.51.100.1"}]
