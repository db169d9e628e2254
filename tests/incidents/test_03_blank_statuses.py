"""A load balancer controller writes empty statuses for a night.

An ingress controller is rolled out with a wrong flag and blanks the status of all its objects. The load balancers keep
serving. external-dns deletes every name.

What must hold: every record stays without limit of time, with a reason. Once the statuses are back, only objects that
got another load balancer are updated.
"""

from __future__ import annotations

from extdns.model.change import Action
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.zone import Zone
from tests.builders import ZONE
from tests.cluster_world import COMPAT, HOUR_S, MINUTE_S, start_cluster
from tests.incidents.production import Production
from tests.objects import ingress, numbered, service, services

NAMES = numbered(40)
BLANK = services(NAMES, address=None)
WEB = ingress("web", "web.example.org")


def test_records_stay_while_statuses_are_empty_and_later_only_changed_addresses_are_written() -> None:
    world = start_cluster(*services(NAMES), WEB)
    world.apply(*BLANK, ingress("web", "web.example.org", address=None), for_s=14 * HOUR_S)
    assert world.published() == {*NAMES, "web"}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.NO_ADDRESS)]
    written = len(world.provider.submissions)
    world.apply(WEB, service(NAMES[0], address="192.0.2.9"), *services(NAMES[1:]), for_s=MINUTE_S)
    assert len(world.provider.submissions) == written + 1
    assert world.list_records()[f"{NAMES[0]} A"] == ("192.0.2.9",)
    assert not world.deleted()


def test_a_restart_while_statuses_are_empty_writes_nothing() -> None:
    before = start_cluster(*services(NAMES))
    before.apply(*BLANK, for_s=HOUR_S)
    after = before.restart(for_s=12 * HOUR_S)
    assert not after.provider.submissions
    assert after.published() == set(NAMES)


def test_ptr_records_stay_after_a_restart_while_statuses_are_empty() -> None:
    reverse = Zone(name=DnsName("2.0.192.in-addr.arpa"), id="reverse")
    types = [f"--managed-record-types={rtype}" for rtype in ("A", "PTR")]
    flags = ["--inmemory-zone=2.0.192.in-addr.arpa", "--create-ptr", *types]
    before = start_cluster(service("web"), service("api"), zones={ZONE: (), reverse: ()}, flags=flags)
    before.run(for_s=HOUR_S)
    before.apply(service("web", address=None), for_s=HOUR_S)
    after = before.restart(*flags, for_s=HOUR_S)
    assert after.list_records(reverse) == {"1.2.0.192.in-addr.arpa PTR": ("api.example.org", "web.example.org")}
    after.apply(service("api", address=None))
    after = after.restart(*flags, for_s=HOUR_S)
    assert after.list_records(reverse) == {"1.2.0.192.in-addr.arpa PTR": ("api.example.org", "web.example.org")}
    after.delete(service("web", address=None), service("api", address=None), for_s=HOUR_S)
    assert after.list_records(reverse) == {}


def test_with_unresolved_timeout_the_deletes_of_retained_records_are_held_by_the_budget() -> None:
    world = start_cluster(*services(NAMES), flags=["--unresolved-timeout=1h"])
    world.apply(*BLANK, for_s=2 * HOUR_S)
    assert not world.deleted()
    assert world.held_names() == set(NAMES)


def test_with_compat_empty_statuses_delete_all_records() -> None:
    world = start_cluster(*services(NAMES), WEB, flags=COMPAT)
    world.apply(*BLANK, ingress("web", "web.example.org", address=None), for_s=MINUTE_S)
    assert world.published() == set()


def test_deletes_are_held_if_all_statuses_lose_the_addresses_of_one_family() -> None:
    both = services(NAMES)
    for one in both:
        one["status"]["loadBalancer"]["ingress"].append({"ip": "2001:db8::1"})
    world = start_cluster(*both)
    world.apply(*services(NAMES), for_s=HOUR_S)
    assert not world.deleted()
    assert world.held_names() == set(NAMES)
    assert world.list_records()[f"{NAMES[0]} AAAA"] == ("2001:db8::1",)


def test_the_program_keeps_records_while_statuses_are_empty(production: Production) -> None:
    production.apply(*services(NAMES[:14]))
    with production.process() as running:
        production.until_published(*NAMES[:14])
        production.apply(*BLANK[:14])
        production.wait_for_marker()
        running.pass_time(14 * HOUR_S)
        production.wait_for_marker()
        assert production.published() == set(NAMES[:14])
