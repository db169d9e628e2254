"""What a batch does to a file, and why it may not."""

from __future__ import annotations

import pytest

from extdns.model.change import Write
from extdns.model.name import DnsName
from extdns.model.outcome import Conflict, Refused
from extdns.model.record import Record
from extdns.model.zone import Zone
from providers.zonefile.batch import Effect, effect
from providers.zonefile.master import Master
from providers.zonefile.parse import parse
from tests.conformance.provider import create, delete, restate, update

ZONE = Zone(name=DnsName("example.org"), id="example.org.zone")
TEXT = """\
$TTL 300
@ SOA ns1 hostmaster 1 7200 900 1209600 300
@ NS ns1
ns1 A 192.0.2.53
web A 192.0.2.1
alias CNAME lb.example.net.
sub NS ns.sub
sub NS ns.example.net.
old DNAME new.example.net.
_odd A 192.0.2.1
$GENERATE 1-2 h$ A 192.0.2.$
"""
MARK = '"heritage=external-dns,external-dns/owner=me"'


@pytest.fixture
def master() -> Master:
    found = parse(TEXT, ZONE.id, str)
    assert found.fault == ""
    return found


def held(master: Master, label: str) -> Record:
    return master.records[DnsName(f"{label}.example.org")][0]


@pytest.mark.parametrize(
    ("write", "word"),
    [
        pytest.param(create("web.example.org", "A", "192.0.2.1"), "exists already", id="create"),
        pytest.param(
            delete(Record(name=DnsName("no.example.org"), type="A", targets=(), ttl_s=1)), "is gone", id="gone"
        ),
        pytest.param(
            delete(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.2",), ttl_s=300)),
            "is not what it was",
            id="other-target",
        ),
    ],
)
def test_a_surprise_is_named(master: Master, write: Write, word: str) -> None:
    key = write.key
    assert effect(master, ZONE, [write]) == Conflict(message=f"{key.name} A {word}", culprits=(key.name,))


@pytest.mark.parametrize(
    ("write", "detail"),
    [
        pytest.param(create("alias.example.org", "A", "192.0.2.1"), "a CNAME cannot stand beside A", id="beside-cname"),
        pytest.param(create("web.example.org", "CNAME", "x.test"), "a CNAME cannot stand beside A", id="cname-beside"),
        pytest.param(
            create("x.sub.example.org", "A", "192.0.2.1"),
            "it would stand below the delegation NS sub.example.org and never be served",
            id="below-delegation",
        ),
        pytest.param(
            create("x.old.example.org", "TXT", MARK),
            "nothing can stand below the DNAME old.example.org",
            id="below-dname",
        ),
        pytest.param(
            create("example.org", "DNAME", "x.test"), "a DNAME cannot stand above _odd.example.org", id="dname-above"
        ),
        pytest.param(
            create("s.example.org", "A", "192.0.2.1", set_identifier="v1"),
            "zone files have no routing policies; 'v1' is a set identifier",
            id="set-identifier",
        ),
        pytest.param(
            create("s.example.org", "SRV", "nonsense"),
            "'nonsense' is not valid; allowed: priority, weight, port and host, as 0 5 443 web.example.org.",
            id="data",
        ),
        pytest.param(
            create("s.example.org", "TXT", '"heritage="x""'),
            '\'"heritage="x""\' is not valid; allowed: text, or strings that each stand in double quotes, '
            'with \\" and \\\\ for those two characters',
            id="mark-with-quotes-inside",
        ),
    ],
)
def test_what_a_zone_file_cannot_hold_is_refused_with_its_name(master: Master, write: Write, detail: str) -> None:
    found = effect(master, ZONE, [create("fine.example.org", "A", "192.0.2.1"), write])
    assert found == Refused(message=f"{write.key.name}: {detail}", culprits=(write.key.name,))


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(create("ns.sub.example.org", "A", "192.0.2.1"), id="glue"),
        pytest.param(create("ns.sub.example.org", "AAAA", "2001:db8::1"), id="glue-v6"),
        pytest.param(create("a-ns.sub.example.org", "TXT", MARK), id="mark-of-glue"),
        pytest.param(create("sub.example.org", "TXT", MARK), id="at-the-delegation"),
        pytest.param(create("x.web.example.org", "A", "192.0.2.1"), id="below-an-address"),
        pytest.param(create("web.example.org", "DNAME", "x.test"), id="dname-above-nothing"),
    ],
)
def test_what_belongs_there_is_taken(master: Master, write: Write) -> None:
    assert isinstance(effect(master, ZONE, [write]), Effect)


def test_types_that_exclude_each_other_can_be_exchanged(master: Master) -> None:
    writes = [delete(held(master, "web")), create("web.example.org", "CNAME", "lb.example.net")]
    assert isinstance(effect(master, ZONE, writes), Effect)


def test_generated_lines_are_not_edited_and_the_place_is_named(master: Master) -> None:
    found = effect(master, ZONE, [delete(held(master, "h2"))])
    assert isinstance(found, Refused)
    assert found.message == (
        "h2.example.org: A stands at example.org.zone:11 ($GENERATE), which is not edited; "
        "move it into example.org.zone itself"
    )
    assert isinstance(effect(master, ZONE, [restate(held(master, "h2"))]), Effect)


def test_what_stands_already_can_be_restated_and_removed_even_if_it_would_not_be_written(master: Master) -> None:
    odd = held(master, "_odd")
    assert isinstance(effect(master, ZONE, [update(odd, "192.0.2.9")]), Refused)
    assert isinstance(effect(master, ZONE, [delete(odd)]), Effect)
    found = effect(master, ZONE, [restate(odd)])
    assert isinstance(found, Effect)
    assert (found.removed, found.added, found.written) == (frozenset(), (), (odd,))


def test_all_culprits_are_named_once(master: Master) -> None:
    writes = [
        create("b.sub.example.org", "A", "192.0.2.1"),
        create("a.sub.example.org", "A", "192.0.2.1"),
        create("a.sub.example.org", "MX", "10 mail.example.net"),
    ]
    found = effect(master, ZONE, writes)
    assert isinstance(found, Refused)
    assert found.culprits == ("a.sub.example.org", "b.sub.example.org")


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(create("web.example.org", "AAAA", "2001:db8::1"), id="create"),
        pytest.param(
            delete(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)), id="delete"
        ),
        pytest.param(
            restate(Record(name=DnsName("web.example.org"), type="A", targets=("192.0.2.1",), ttl_s=300)), id="restate"
        ),
    ],
)
def test_nothing_is_written_beside_what_cannot_be_read(write: Write) -> None:
    master = parse(f"{TEXT}web 60 WEB x\n", ZONE.id, str)
    found = effect(master, ZONE, [create("new.example.org", "A", "192.0.2.1"), write])
    assert isinstance(found, Conflict)
    assert found.culprits == ("web.example.org",)
    assert "stands beside what cannot be read: example.org.zone:12: 'WEB' is not valid" in found.message
