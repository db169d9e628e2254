"""Zone files that extdns has written, judged by the checkers of real name servers where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from extdns.model.adjusted import Refusal
from extdns.model.record import Endpoint
from providers.zonefile.adjust import adjusted
from tests.conformance.provider import ZONE_TEXT, create, delete, endpoint, update, zonefile

# Each as its server would load the file; BIND's own default for a primary zone is to fail over host names.
CHECKERS = {
    "named-checkzone": ("named-checkzone", "-k", "fail", "example.org"),
    "kzonecheck": ("kzonecheck", "-o", "example.org"),
    "nsd-checkzone": ("nsd-checkzone", "example.org"),
}
MARK = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=ingress/shop/web"'
ODD = "!\"#$%&'()+,-/:;<=>?@[]^_`{|}~"


@pytest.fixture(params=CHECKERS)
def checker(request: pytest.FixtureRequest) -> tuple[str, ...]:
    command = CHECKERS[request.param]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed, so that its server's view of our files was not asked for")
    return command


def judged(checker: tuple[str, ...], path: Path) -> str:
    """What the checker has against the file, "" if nothing."""
    done = subprocess.run([*checker, str(path)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def test_what_we_write_is_taken(checker: tuple[str, ...], tmp_path: Path) -> None:
    rig = zonefile(tmp_path)
    path = tmp_path / rig.zone.id
    assert judged(checker, path) == ""
    before = set(rig.read())
    made = rig.apply(
        create("web.example.org", "A", "192.0.2.1", "192.0.2.2"),
        create("a-web.example.org", "TXT", MARK),
        create("*.example.org", "AAAA", "2001:db8::1"),
        create("aaaa-*.example.org", "TXT", MARK),
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
    assert judged(checker, path) == ""
    by_key = {(str(record.name), record.type): record for record in made}
    rig.apply(update(by_key["web.example.org", "A"], "192.0.2.9"), delete(by_key["old.example.org", "DNAME"]))
    assert judged(checker, path) == ""
    rig.apply(*(delete(record) for record in set(rig.read()) - before))
    assert judged(checker, path) == ""


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param("_x A 192.0.2.1", endpoint("_x.example.org", "A", "192.0.2.1"), id="owner-of-an-address"),
        pytest.param("x MX 10 _m.test.", endpoint("x.example.org", "MX", "10 _m.test"), id="host-of-mx"),
        pytest.param("x NS _n.test.", endpoint("x.example.org", "NS", "_n.test"), id="host-of-ns"),
        pytest.param("x SRV 0 0 1 _s.test.", endpoint("x.example.org", "SRV", "0 0 1 _s.test."), id="host-of-srv"),
        pytest.param("*.x NS n.test.", endpoint("*.x.example.org", "NS", "n.test"), id="wildcard-ns"),
        pytest.param("@ CNAME n.test.", endpoint("example.org", "CNAME", "n.test"), id="cname-at-apex"),
        pytest.param(
            "x CNAME a.test.\nx CNAME b.test.", endpoint("x.example.org", "CNAME", "a.test", "b.test"), id="two-cnames"
        ),
    ],
)
def test_bind_rejects_a_whole_zone_for_what_we_refuse(line: str, wanted: Endpoint, tmp_path: Path) -> None:
    if shutil.which("named-checkzone") is None:
        pytest.skip("named-checkzone is not installed, so that our refusals were not compared with BIND's")
    rig = zonefile(tmp_path)
    assert isinstance(adjusted(wanted, rig.zone), Refusal)
    path = tmp_path / rig.zone.id
    path.write_text(f"{ZONE_TEXT}{line}\n")
    assert "not loaded due to errors" in judged(CHECKERS["named-checkzone"], path)
