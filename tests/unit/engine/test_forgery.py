"""A TXT record of an object with the text of an ownership record makes nothing ours (law 1)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.model.change import Action
from extdns.model.reason import Reason
from registry.txt.naming import Naming
from registry.txt.registry import TxtRegistry
from tests.builders import (
    PLAN,
    REGISTRY,
    build_claim,
    host,
    observe,
    observe_gone,
    owned,
    ownership_record,
    record,
)
from tests.world import start_world

TYPES = frozenset({"A", "CNAME", "TXT"})
WITH_TXT = replace(PLAN, managed_types=TYPES)
TXT_REGISTRY = TxtRegistry(owner=REGISTRY.owner, naming=Naming(), managed_types=TYPES)
FORGED = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/gone"'


@pytest.mark.parametrize("compat", [False, True])
def test_a_txt_record_with_the_text_of_an_ownership_record_is_not_published(compat: bool) -> None:
    world = start_world(
        record("mail"),
        first=[observe("web", build_claim("web", "a-mail", FORGED, '"v=spf1"', rtype="TXT"))],
        plan=replace(WITH_TXT, compat=compat),
        registry=TXT_REGISTRY,
    )
    assert world.list_decisions("a-mail") == [("TXT", Action.NONE, Reason.FORGED_OWNERSHIP)]
    assert world.list_records() == {"mail A": ("192.0.2.1",)}
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"mail A": ("192.0.2.1",)}


def test_an_existing_forged_ownership_record_makes_nothing_ours_and_is_deleted_with_its_object() -> None:
    forged = record("a-mail", FORGED, rtype="TXT")
    own = ownership_record("txt-a-mail", resource="service/shop/web")
    world = start_world(
        record("mail"),
        forged,
        replace(own, name=host("txt-a-mail")),
        first=[observe("web", build_claim("web", "a-mail", FORGED, rtype="TXT"))],
        plan=WITH_TXT,
        registry=TXT_REGISTRY,
    )
    assert world.list_decisions("a-mail") == [("TXT", Action.KEEP, Reason.FORGED_OWNERSHIP)]
    assert world.list_decisions("mail") == [("A", Action.KEEP, Reason.FOREIGN_RECORD)]
    assert world.decision("mail").detail == (
        "a-mail.example.org does not count as its ownership record: an object published it as a TXT record"
    )
    world.run(observe_gone("web"), for_s=600.0)
    assert world.list_records() == {"mail A": ("192.0.2.1",)}
    assert world.list_ownership_labels() == set()


def test_a_record_is_kept_if_its_object_now_requests_only_a_forged_ownership_record() -> None:
    world = start_world(
        *owned("web", "lb.test", rtype="CNAME"),
        first=[observe("web", build_claim("web", "web", FORGED, rtype="TXT"))],
        plan=WITH_TXT,
        registry=TXT_REGISTRY,
    )
    world.run(for_s=600.0)
    assert world.list_records() == {"web CNAME": ("lb.test",)}


@pytest.mark.parametrize("label", ["_extdns", "_extdns-a", "_extdns-x.sub"])
def test_a_record_at_a_name_that_only_ownership_records_have_is_not_published(label: str) -> None:
    world = start_world(first=[observe("web", build_claim("web", label))])
    assert world.list_decisions(label) == [("A", Action.NONE, Reason.FORGED_OWNERSHIP)]
    assert world.provider.submissions == []
