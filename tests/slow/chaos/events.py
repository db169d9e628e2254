"""The script of a chaos run: events with their times. It depends only on the seed, not on the machine.

Names by first letter, with the events that concern them:

    h0 …   requested by one object at a time, which changes its targets and record types, moves to another
           namespace, requests another name, loses its address for a while, or is deleted
    m0 …   requested by objects of two namespaces at once
    w0 …   two weighted records, each of its own Service; only if the DNS service has routing policies
    s0 …   requested by a Service; the second writer removes or replaces its ownership record
    x0 …   requested, but a foreign record exists there from the start
    p0 …   requested, but the DNS service refuses every change; only if the fake supports that
    f0 …   foreign; never requested
    e0 …   requested by the last events, one object of each kind: when they are published, extdns has observed all
           objects as they are at the end

An edit of the zones happens at once (`now`), or just before the next write of extdns takes effect (`race`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

ZONES: Final = ("acme.test", "dev.acme.test", "other.test")
NAMES: Final[dict[str, int]] = {"h": 24, "m": 3, "w": 3, "s": 6, "x": 3, "p": 1, "f": 6, "e": 3}
NAMESPACES: Final = ("shop", "blog", "ops")
KINDS: Final = ("Service", "Ingress", "DNSEndpoint")
TARGET_KINDS: Final = ("a", "a", "aaaa", "dual", "cname", "alias")
MEMBERS: Final = ("blue", "green")
REPLICAS: Final = 2

DRIFT_PAUSE_S: Final = 700.0
"""Shortest time between two edits of one record of ours: a third repair in ten minutes makes it contended."""
REFUSED_UNTIL: Final = 0.3
"""Part of the script in which batches are refused; later ones would be retried after the end of the run."""

STATE_UNTIL: Final = 0.7
"""Part of the script after which every call about the saved state fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of the script.

    Attributes:
        at_s: seconds since the start.
        actor: cluster, writer (the second writer of the zones), operator or network.
        verb: the action.
        about: the name, replica or API resource that is affected.
        detail: further arguments for the actor.
    """

    at_s: float
    actor: str
    verb: str
    about: str = ""
    detail: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((f"{self.at_s:8.2f}", self.actor, self.verb, self.about, *self.detail)).rstrip()


def list_names(letter: str) -> list[str]:
    """Return the full names that start with *letter*, spread over the zones."""
    return [f"{letter}{number}.{ZONES[number % len(ZONES)]}" for number in range(NAMES[letter])]


def write_script(seed: int, seconds: float) -> list[Event]:
    """Return the events within *seconds*, in order, about one every 0.15 s.

    The same seed and length give the same script.
    """
    return sorted(Script(seed, seconds).write(), key=lambda event: event.at_s)


class Script:
    """Writes one script, and tracks the effect of its events on the cluster."""

    def __init__(self, seed: int, seconds: float) -> None:
        self._random = Random(seed)
        self._seconds = seconds
        self._blank: set[str] = set()
        self._drifted_at: dict[str, float] = {}
        self._seized: set[str] = set()

    def write(self) -> Iterator[Event]:
        """Yield the events in the order of creation, which is not always the order of time."""
        yield from self._begin()
        another_s = self._seconds * self._random.uniform(0.2, 0.6)
        yield Event(at_s=another_s, actor="network", verb="other-cluster")
        yield Event(at_s=self._seconds * STATE_UNTIL, actor="network", verb="fail-state")
        at_s = 0.5
        while at_s < self._seconds:
            yield from self._write_moment(at_s)
            at_s += self._random.uniform(0.2, 1.8) * 0.15
        yield from self._recover(self._seconds)

    def _begin(self) -> Iterator[Event]:
        """Yield the first events: they request all names, but only half of the h names."""
        for number, name in enumerate(list_names("h")):
            if number % 2:
                yield self._apply(0.0, name)
        for letter in "sxp":
            for name in list_names(letter):
                yield self._apply(0.0, name, kind="Service", form="a")
        for name in list_names("m"):
            for namespace in NAMESPACES[:2]:
                yield self._apply(0.0, name, kind="Service", form="a", namespace=namespace)
        for name in list_names("w"):
            for member in MEMBERS:
                yield self._member(0.0, name, member)

    def _write_moment(self, at_s: float) -> Iterator[Event]:
        dice = self._random.random()
        if dice < 0.62:
            yield from self._change_cluster(at_s)
        elif dice < 0.78:
            yield from self._edit_zone(at_s)
        elif dice < 0.98:
            yield self._fail_call(at_s)
        elif self._random.random() < 0.5:
            yield from self._end_replica(at_s)
        else:
            yield Event(at_s=at_s, actor="network", verb=self._random.choice(("cut-watches", "expire-history")))

    def _change_cluster(self, at_s: float) -> Iterator[Event]:
        name = self._pick("hhhhhhmwsx")
        if name[0] == "w":
            member = self._random.choice(MEMBERS)
            gone = self._random.random() < 0.3
            yield (
                Event(at_s=at_s, actor="cluster", verb="remove", about=name, detail=(member,))
                if gone
                else self._member(at_s, name, member)
            )
            return
        match self._random.choices(("apply", "remove", "move", "blank", "rename"), (10, 4, 4, 2, 2))[0]:
            case "remove":
                self._blank.discard(name)
                yield Event(at_s=at_s, actor="cluster", verb="remove", about=name)
            case "move" if name[0] in "hs":
                yield Event(at_s=at_s, actor="cluster", verb="remove", about=name)
                yield self._apply(at_s, name, form="a" if name[0] == "s" else "")
            case "blank" if name[0] == "h":
                self._blank.add(name)
                yield Event(at_s=at_s, actor="cluster", verb="blank", about=name)
            case "rename" if name[0] == "h":
                yield self._apply(at_s, name, other_name=True)
            case _:
                yield self._apply(
                    at_s, name, form="" if name[0] == "h" else "a", kind="" if name[0] == "h" else "Service"
                )

    def _edit_zone(self, at_s: float) -> Iterator[Event]:
        verb = self._random.choices(("foreign", "drift", "erase", "free", "seize"), (5, 4, 2, 2, 1))[0]
        letter = {"foreign": "fffx", "seize": "s"}.get(verb, "hhhm")
        name = self._pick(letter)
        if verb == "seize":
            if name in self._seized:
                return
            self._seized.add(name)
        elif verb != "foreign":
            if at_s - self._drifted_at.get(name, -DRIFT_PAUSE_S) < DRIFT_PAUSE_S:
                return
            self._drifted_at[name] = at_s
        how, when = self._random.choice(("remove", "replace")), self._random.choice(("now", "race"))
        yield Event(at_s=at_s, actor="writer", verb=verb, about=name, detail=(self._address(), how, when))
        if when == "race" and name[0] in "hs":  # so that the next write concerns this name
            yield self._apply(at_s, name, form="a" if name[0] == "s" else "")

    def _fail_call(self, at_s: float) -> Event:
        if self._random.random() < 0.35:
            verb = self._random.choice(("error", "drop", "late", "cut", "empty-list", "busy"))
            about = self._random.choice(("services", "ingresses", "dnsendpoints", "leases", "configmaps", "events"))
            return Event(at_s=at_s, actor="network", verb=f"kube-{verb}", about=about, detail=(self._times(),))
        verbs = ["throttle", "throttle", "error", "unavailable", "busy", "drop", "drop-worked", "late", "late-worked"]
        if at_s < self._seconds * REFUSED_UNTIL:
            verbs.append("refuse")
        verb = self._random.choice(verbs)
        about = self._random.choice(("change", "change", "change", "list", "any"))
        times = "1" if verb == "refuse" else self._times()
        return Event(at_s=at_s, actor="network", verb=f"dns-{verb}", about=about, detail=(times,))

    def _end_replica(self, at_s: float) -> Iterator[Event]:
        replica = str(self._random.randrange(REPLICAS))
        verb = self._random.choice(("kill", "kill", "kill", "terminate"))
        back_s = min(self._seconds, at_s + self._random.choice((0.1, 1.0, 3.0, 8.0)))
        yield Event(at_s=at_s, actor="operator", verb=verb, about=replica)
        yield Event(at_s=back_s, actor="operator", verb="start", about=replica)

    def _recover(self, at_s: float) -> Iterator[Event]:
        """End all faults, start all replicas, give an address to every object without one, and request the e names."""
        yield Event(at_s=at_s, actor="network", verb="recover")
        for replica in range(REPLICAS):
            yield Event(at_s=at_s, actor="operator", verb="start", about=str(replica))
        for name in sorted(self._blank):
            yield self._apply(at_s, name)
        for name, kind in zip(list_names("e"), KINDS, strict=True):
            yield self._apply(at_s, name, kind=kind, form="a")

    def _apply(
        self,
        at_s: float,
        name: str,
        *,
        kind: str = "",
        form: str = "",
        namespace: str = "",
        other_name: bool = False,
    ) -> Event:
        """Return an event that makes an object request *name*; arguments left empty are chosen at random."""
        self._blank.discard(name)
        kind = kind or self._random.choice(KINDS)
        form = form or self._random.choice(TARGET_KINDS)
        namespace = namespace or self._random.choice(NAMESPACES)
        host = f"also-{name}" if other_name else name
        return Event(
            at_s=at_s,
            actor="cluster",
            verb="apply",
            about=name,
            detail=(kind, namespace, host, form, str(self._random.randrange(1, 250))),
        )

    def _member(self, at_s: float, name: str, member: str) -> Event:
        weight = str(self._random.randrange(0, 4))
        detail = ("Member", member, weight, str(self._random.randrange(1, 250)))
        return Event(at_s=at_s, actor="cluster", verb="apply", about=name, detail=detail)

    def _pick(self, letters: str) -> str:
        return self._random.choice(list_names(self._random.choice(letters)))

    def _times(self) -> str:
        return str(self._random.randrange(1, 6))

    def _address(self) -> str:
        return f"198.51.100.{self._random.randrange(1, 250)}"
