"""The size that the engine computes for a batch is never less than that of the message."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from extdns.engine.batches import measure
from extdns.model.change import Write
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, Record, canonicalize_targets
from extdns.model.zone import Zone
from providers.rfc2136.client import build_key
from providers.rfc2136.provider import Rfc2136Reader, Rfc2136Zones
from providers.rfc2136.settings import DnsServer, Rfc2136Settings, TsigSecret
from providers.rfc2136.update import build_update
from tests.conformance.provider import build_batch
from tests.updatable import KEY

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


@given(found=writes())
def test_an_update_message_is_never_larger_than_the_engine_computes_for_its_batch(found: tuple[Write, ...]) -> None:
    batch = build_batch(ZONE, found)
    message = build_update(ZONE, batch.writes, 0)
    head = 12 + len(ZONE.name) + 6
    measured = sum(measure(change_set, CAPABILITIES).size_bytes for change_set in batch.change_sets)
    assert len(message.to_wire()) <= head + measured


def test_the_longest_signature_fits_into_the_space_that_batches_leave_in_a_message() -> None:
    message = build_update(ZONE, (), 0)
    message.use_tsig(build_key(LONGEST_KEY))
    longest_zone = 255
    assert len(message.to_wire()) - len(ZONE.name) + longest_zone + CAPABILITIES.max_batch_bytes <= 65_535
