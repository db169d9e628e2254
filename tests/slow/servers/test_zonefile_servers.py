"""Zone files that extdns has written, checked by the zone checkers of real name servers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extdns.model import rrtype
from extdns.model.change import Refusal, Write
from extdns.model.claim import Claim
from extdns.model.record import DesiredRecord
from providers.common.plain_records import adjust_record
from tests.conformance.provider import ZONE_TEXT, build_desired, build_zonefile_rig, create, delete, update
from tests.conformance.requested import WAYS, list_records, request_endpoint
from tests.required_programs import require_programs
from tests.strategies import hostnames, record_data, target_texts

# Each with the options with which its server loads a zone; BIND rejects invalid host names in primary zones.
CHECKERS = {
    "named-checkzone": ("named-checkzone", "-k", "fail", "example.org"),
    "kzonecheck": ("kzonecheck", "-o", "example.org"),
    "nsd-checkzone": ("nsd-checkzone", "example.org"),
}
OWNERSHIP = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'
ODD = "!\"#$%&'()+,-/:;<=>?@[]^_`{|}~"


@pytest.fixture(params=CHECKERS)
def checker(request: pytest.FixtureRequest) -> tuple[str, ...]:
    command = CHECKERS[request.param]
    require_programs("zone files checked by a name server's program", command[0])
    return command


def find_errors(checker: tuple[str, ...], path: Path) -> str:
    """Return the errors that the checker prints about the file at *path*, or ""."""
    done = subprocess.run([*checker, str(path)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_zone_checkers_of_name_servers_accept_the_zone_files_that_extdns_writes(
    checker: tuple[str, ...], tmp_path: Path
) -> None:
    rig = build_zonefile_rig(tmp_path)
    path = tmp_path / rig.zone.id
    assert find_errors(checker, path) == ""
    before = set(rig.read())
    made = rig.apply(
        create("web.example.org", "A", "192.0.2.1", "192.0.2.2"),
        create("a-web.example.org", "TXT", OWNERSHIP),
        create("*.example.org", "AAAA", "2001:db8::1"),
        create("aaaa-*.example.org", "TXT", OWNERSHIP),
        create("example.org", "MX", "10 mail.example.net", "20 mail.example.com"),
        create("example.org", "TXT", '"v=spf1 -all"', "bare; text", '"' + "0123456789" * 90 + '"', '"\\000\\255" ""'),
        create("sub.example.org", "NS", "ns.sub.example.org", "ns.example.net"),
        create("ns.sub.example.org", "A", "192.0.2.3"),
        create("_sip._tcp.example.org", "SRV", "0 5 5060 sip.example.net.", "0 0 0 ."),
        create("n.example.org", "NAPTR", '10 100 "s" "SIP+D2U" "!^.*$!sip:x@example.net!" .'),
        create("p.example.org", "PTR", "_host.example.net"),
        create("old.example.org", "DNAME", "new.example.net"),
        create(f"{ODD}.example.org", "CNAME", "lb.example.net"),
        create("odd.example.org", "CNAME", f"{ODD}.example.net"),
    )
    assert find_errors(checker, path) == ""
    by_key = {(str(record.name), record.type): record for record in made}
    rig.apply(update(by_key["web.example.org", "A"], "192.0.2.9"), delete(by_key["old.example.org", "DNAME"]))
    assert find_errors(checker, path) == ""
    rig.apply(*(delete(record) for record in set(rig.read()) - before))
    assert find_errors(checker, path) == ""


@pytest.mark.parametrize(
    ("line", "desired"),
    [
        pytest.param("_x A 192.0.2.1", build_desired("_x.example.org", "A", "192.0.2.1"), id="owner-of-an-address"),
        pytest.param("x MX 10 _m.test.", build_desired("x.example.org", "MX", "10 _m.test"), id="host-of-mx"),
        pytest.param("x NS _n.test.", build_desired("x.example.org", "NS", "_n.test"), id="host-of-ns"),
        pytest.param("x SRV 0 0 1 _s.test.", build_desired("x.example.org", "SRV", "0 0 1 _s.test."), id="host-of-srv"),
        pytest.param("*.x NS n.test.", build_desired("*.x.example.org", "NS", "n.test"), id="wildcard-ns"),
        pytest.param("@ CNAME n.test.", build_desired("example.org", "CNAME", "n.test"), id="cname-at-apex"),
        pytest.param(
            "x CNAME a.test.\nx CNAME b.test.",
            build_desired("x.example.org", "CNAME", "a.test", "b.test"),
            id="two-cnames",
        ),
    ],
)
def test_bind_rejects_a_zone_with_a_record_that_extdns_refuses_to_write(
    line: str, desired: DesiredRecord, tmp_path: Path
) -> None:
    require_programs("our refusals compared with those of BIND", "named-checkzone")
    rig = build_zonefile_rig(tmp_path)
    assert isinstance(adjust_record(desired, rig.zone), Refusal)
    path = tmp_path / rig.zone.id
    path.write_text(f"{ZONE_TEXT}{line}\n")
    assert "not loaded due to errors" in find_errors(CHECKERS["named-checkzone"], path)


ENDPOINTS = st.sampled_from(rrtype.OWNABLE).flatmap(
    lambda rtype: st.tuples(
        hostnames(), record_data(rtype).map(lambda target: lambda host: request_endpoint(host, rtype, target))
    )
)
OTHERS = st.tuples(
    hostnames(),
    st.builds(
        lambda way, target: lambda host: way(host, target, ""), st.sampled_from([*WAYS.values()]), target_texts()
    ),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(ENDPOINTS | OTHERS, min_size=20, max_size=60))
def test_zone_checkers_accept_what_objects_request_and_extdns_does_not_reject(
    requests: list[tuple[str, Callable[[str], tuple[Claim, ...]]]],
) -> None:
    require_programs("zone files checked by name servers' programs", *(command[0] for command in CHECKERS.values()))
    numbers = count()
    with TemporaryDirectory() as folder:
        rig = build_zonefile_rig(Path(folder))
        records = [
            adjust_record(desired, rig.zone)
            for host, request in requests
            if (claims := request(host.replace("example.org", f"n{next(numbers)}.example.org")))
            for desired in list_records(claims)
        ]
        rig.apply(*(Write(old=None, new=record) for record in records if isinstance(record, DesiredRecord)))
        for command in CHECKERS.values():
            assert find_errors(command, Path(folder) / rig.zone.id) == ""
