"""The size that is computed for a batch is never less than that of its message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extdns.engine.batches import select_for_batch
from extdns.model.change import ChangeSet, Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, canonicalize_targets
from extdns.model.zone import Zone
from providers.rfc2136.client import build_key
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Zones
from providers.rfc2136.settings import DnsServer, Rfc2136Settings, TsigSecret
from providers.rfc2136.update import build_update
from tests.builders import build_claim, observe, owned
from tests.conformance.provider import build_batch
from tests.updatable import KEY
from tests.world import start_world

ZONE: Final = Zone(name=DnsName("example.org"), id="example.org")
LONGEST_KEY: Final = TsigSecret(
    name=".".join(["k" * 62] * 4), algorithm="hmac-sha512", secret="c2VjcmV0LWZvci10ZXN0cy1vbmx5LTAwMDAwMDAwMDA="
)
CAPABILITIES: Final = Rfc2136Reader(
    Rfc2136Zones(Rfc2136Settings(servers=(DnsServer(host="127.0.0.1"),), zones=(ZONE.name,), key=KEY))
).capabilities

labels = st.integers(1, 60).map("x".__mul__)
values = {
    "A": st.ip_addresses(v=4).map(str),
    "AAAA": st.ip_addresses(v=6).map(str),
    "MX": labels.map("10 {}.example.net".format),
    "NS": st.one_of(labels, labels.map("{}.example.net".format)),
    "TXT": st.integers(0, 600).map(lambda size: f'"{"t" * size}"'),
}


@st.composite
def writes(draw: st.DrawFn) -> tuple[Write, ...]:
    """Return writes of different names."""
    found = []
    for number in range(draw(st.integers(1, 40))):
        rtype = draw(st.sampled_from(sorted(values)))
        name = DnsName(f"n{number}.{draw(labels)}.{draw(labels)}.example.org")
        old, new = (
            canonicalize_targets(rtype, draw(st.lists(values[rtype], min_size=1, max_size=4))) for _ in range(2)
        )
        kind = draw(st.sampled_from(("create", "update", "delete")))
        found.append(
            Write(
                old=None if kind == "create" else Record(name=name, type=rtype, targets=old, ttl_s=300),
                new=None if kind == "delete" else DesiredRecord(name=name, type=rtype, targets=new, ttl_s=60),
            )
        )
    return tuple(found)


def measure_built(change_sets: Sequence[ChangeSet]) -> int:
    """Return the size of the message that is sent for *change_sets*."""
    built = build_update(ZONE, [write for one in change_sets for write in one.writes], 0)
    return len(built.to_wire())


def build_creates(count: int, label: str = "web") -> list[ChangeSet]:
    """Return *count* change sets as those of new Services: a record and its ownership record."""
    found = []
    for number in range(count):
        name = DnsName(f"{label}-{number:06}.team-{number % 100:02}.example.org")
        resource = f"service/team-{number % 100:02}/web-{number:06}"
        owner = f'"heritage=external-dns,external-dns/owner=bench,external-dns/resource={resource}"'
        writes = (
            Write(old=None, new=DesiredRecord(name=name, type="A", targets=("192.0.2.1",), ttl_s=300)),
            Write(old=None, new=DesiredRecord(name=DnsName(f"a-{name}"), type="TXT", targets=(owner,), ttl_s=300)),
        )
        found.append(ChangeSet(zone=ZONE, name=name, changes=(), writes=writes))
    return found


def build_updates_to(target: str) -> tuple[Write, ...]:
    """Return updates of some names whose data repeats one name, which a message has once."""
    names = [DnsName(f"n{number}.example.org") for number in range(20)]
    return tuple(
        Write(
            old=Record(name=name, type="NS", targets=(target,), ttl_s=300),
            new=DesiredRecord(name=name, type="NS", targets=(target,), ttl_s=60),
        )
        for name in names
    )


def measure(change_sets: Sequence[ChangeSet]) -> int:
    """Return the size that is computed for *change_sets*, and of what every message has."""
    assert CAPABILITIES.measure is not None
    return sum(map(CAPABILITIES.measure, change_sets)) + measure_built(())


@given(found=writes())
@example(found=build_updates_to(f"{'x' * 60}.example.net"))
def test_an_update_message_is_never_larger_than_is_computed_for_its_change_sets(found: tuple[Write, ...]) -> None:
    change_sets = build_batch(ZONE, found).change_sets
    assert measure_built(change_sets) <= measure(change_sets)


def test_the_computed_size_of_a_cname_that_replaces_records_includes_all_its_prerequisites() -> None:
    name = DnsName("web.example.org")
    writes = (
        Write(old=Record(name=name, type="A", targets=("192.0.2.1",), ttl_s=300), new=None),
        Write(old=None, new=DesiredRecord(name=name, type="CNAME", targets=("lb.example.net",), ttl_s=300)),
    )
    change_set = ChangeSet(zone=ZONE, name=name, changes=(), writes=writes)
    assert measure_built([change_set]) <= measure([change_set])


@pytest.mark.parametrize("label", [pytest.param("web", id="short"), pytest.param("x" * 50, id="long")])
def test_a_batch_of_new_records_fills_at_least_half_of_a_message_and_fits_into_it(label: str) -> None:
    built = measure_built(select_for_batch(build_creates(1000, label), CAPABILITIES))
    assert CAPABILITIES.max_batch_size / 2 <= built <= CAPABILITIES.max_batch_size


def test_the_longest_signature_and_zone_fit_into_the_space_that_batches_leave_in_a_message() -> None:
    name = DnsName(".".join(["z" * 62] * 4))
    message = build_update(Zone(name=name, id=name), (), 0)
    message.use_tsig(build_key(LONGEST_KEY))
    assert len(message.to_wire()) + CAPABILITIES.max_batch_size <= 65_535


def test_with_a_batch_change_size_of_1_a_record_still_changes_its_type_with_its_ownership_record() -> None:
    settings = Rfc2136Settings(servers=(DnsServer(host="127.0.0.1"),), zones=(ZONE.name,), key=KEY, max_writes=1)
    world = start_world(
        *owned("web"),
        *owned("web", "2001:db8::1", rtype="AAAA"),
        first=[observe("web", build_claim("web", "web"), build_claim("web", "web", "2001:db8::1", rtype="AAAA"))],
        capabilities=Rfc2136Reader(Rfc2136Zones(settings)).capabilities,
    )
    world.run(observe("web", build_claim("web", "web", "lb.test", rtype="CNAME")), for_s=1.0)
    assert world.list_records() == {"web CNAME": ("lb.test",)}
