"""The next step in the explanation of a name: by the reason, and by what was found (docs/design/messages.md)."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.document import ProcessReference
from extdns.documents.explanation import suggest_next_step
from extdns.documents.name import build_name
from extdns.documents.snapshot import EngineSnapshot
from extdns.model.claim import ClaimWarning, ExcludedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import Category, Reason
from extdns.model.zone import ZoneList
from tests.builders import (
    INGRESS,
    SERVICE,
    build_claim,
    build_registry,
    change_phase,
    observe,
    owned,
    record,
    ref,
)
from tests.unit.documents.cases import (
    NAMES,
    OTHER_NAMES,
    REQUESTED,
    WEB,
    explain,
    render,
    run_on,
    start_dry,
)
from tests.world import build_world

HERITAGE = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/default/web"'


def next_step(reason: Reason) -> str:
    document = explain(NAMES[reason]())
    return suggest_next_step(replace(document, process=ProcessReference("", "me", "", "@shop.flags")))


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        pytest.param(
            Reason.FOREIGN_RECORD,
            "Resolve the conflict; extdns retries automatically. To take over existing records that are as requested: "
            "extdns adopt @shop.flags",
            id="foreign record",
        ),
        pytest.param(
            Reason.OWNED_BY_OTHER,
            'Resolve the conflict; extdns retries automatically. If owner "blue" is this installation: '
            "--txt-owner-id=blue; if it has ended, take its records over: --migrate-from-txt-owner=blue",
            id="another owner",
        ),
        pytest.param(
            Reason.TYPE_UNMANAGED,
            "to manage the type, add --managed-record-types=TXT to the flags",
            id="type that is not managed",
        ),
        pytest.param(
            Reason.ZONE_FORBIDDEN,
            "give the credentials the permission to change the zone. "
            "What is missing or fails: extdns check @shop.flags",
            id="no permission",
        ),
        pytest.param(
            Reason.ZONE_UNREAD,
            "try again when everything can be read. What cannot be read: extdns check @shop.flags",
            id="zone that cannot be read",
        ),
        pytest.param(
            Reason.ORPHAN_UNCLAIMED,
            "see all held deletes, and how to approve them: extdns plan --held @shop.flags. To keep the record, "
            "let an object request the name (extdns plan lists invalid annotations). If objects of another "
            'cluster request the name, both use the owner id "me": give each cluster its own --txt-owner-id',
            id="shared owner id",
        ),
    ],
)
def test_the_suggested_next_step_depends_on_the_reason(reason: Reason, expected: str) -> None:
    assert next_step(reason) == expected


BESIDE_OTHERS: Final = {Reason.REQUESTED_BY_OTHER, Reason.INCOMPATIBLE_TYPE}
"""Reasons of claims beside one that is published, whose reason is that of the name."""


@pytest.mark.parametrize("reason", [one for one in NAMES if one.row.next_step and one not in BESIDE_OTHERS])
def test_the_next_step_for_a_name_is_that_of_the_row_of_its_reason(reason: Reason) -> None:
    document = explain(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert suggest_next_step(document).startswith(reason.row.next_step)


@pytest.mark.parametrize(
    "reason",
    [one for one in NAMES if not (one.row.transient or one.row.category is Category.IN_SYNC or one in BESIDE_OTHERS)],
)
def test_no_next_step_leaves_a_person_to_wait_where_something_can_be_done(reason: Reason) -> None:
    document = explain(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert "decides again" not in suggest_next_step(document)


def test_the_next_step_for_a_published_name_is_about_the_value_that_is_ignored() -> None:
    warning = ClaimWarning(reason=Reason.PROPERTY_IGNORED, field="property aws/weight", value="7", allowed="none")
    claim = replace(build_claim("web", "web"), warning_groups=((warning,),))
    document = explain(start_dry(*owned("web"), first=[observe("web", claim)]))
    assert document.reason == Reason.PUBLISHED
    assert suggest_next_step(document).startswith("correct or remove the property on the object")


def test_nothing_is_to_do_about_a_record_of_others_that_no_object_requests() -> None:
    document = explain(start_dry(record("web", "192.0.2.9"), first=[]))
    assert document.reason == Reason.FOREIGN_RECORD
    assert suggest_next_step(document) == "nothing to do; extdns leaves the name as it is"


def test_of_a_record_of_others_whose_object_is_excluded_the_next_step_says_what_excludes_it() -> None:
    excluded = ExcludedClaim(ref=ref("web"), excluded_by="--label-filter")
    document = explain(start_dry(record("web", "192.0.2.9"), first=[observe("web", excluded)]))
    assert suggest_next_step(document) == (
        "nothing to do, unless Service shop/web is to publish the name: change --label-filter, or the object"
    )


def test_of_a_running_process_the_flags_that_a_check_needs_are_unknown() -> None:
    document = explain(NAMES[Reason.ZONE_FORBIDDEN]())
    process = ProcessReference("http://127.0.0.1:7980", "me", "")
    assert suggest_next_step(replace(document, process=process)).endswith(
        "What is missing or fails: extdns check FLAGS, with the flags of the process"
    )


@pytest.mark.parametrize(
    ("name", "flag"),
    [("mine-a-web", "--txt-prefix=mine-"), ("mine-web", "--txt-prefix=mine-"), ("a-web-mine", "--txt-suffix=-mine")],
)
def test_the_next_step_mentions_ownership_records_that_exist_under_another_prefix_or_suffix(
    name: str, flag: str
) -> None:
    world = start_dry(record("web"), record(name, HERITAGE, rtype="TXT"), first=[REQUESTED])
    assert suggest_next_step(explain(world)) == (
        f"1 ownership record under another prefix or suffix exists: is {flag} missing?"
    )


def test_another_prefix_is_not_suggested_where_it_would_make_our_other_records_foreign() -> None:
    records = (record("web"), record("mine-web", HERITAGE, rtype="TXT"), *owned("api"))
    world = start_dry(*records, first=[REQUESTED, observe("api", build_claim("api", "api"))])
    assert suggest_next_step(explain(world)).startswith("Resolve the conflict")


@pytest.mark.parametrize("name", ["a-web", "aaaa-web", "cname-web"])
def test_ownership_records_without_prefix_or_suffix_do_not_lead_to_a_hint_about_one(name: str) -> None:
    registry = build_registry(prefix="owner-")
    world = start_dry(record("web"), record(name, HERITAGE, rtype="TXT"), first=[REQUESTED], registry=registry)
    assert "is --txt" not in suggest_next_step(explain(world))


def test_for_a_name_outside_every_zone_the_next_step_lists_the_existing_zones() -> None:
    document = explain(NAMES[Reason.NO_ZONE](), OTHER_NAMES[Reason.NO_ZONE])
    assert suggest_next_step(document) == "request a name in one of your zones (example.org), or create a zone for it"


@pytest.mark.parametrize("reason", [Reason.NO_ADDRESS, Reason.NOT_ACCEPTED])
def test_the_next_step_for_a_missing_status_differs_between_a_cluster_and_manifests(reason: Reason) -> None:
    document = explain(NAMES[reason]())
    live = replace(document, process=ProcessReference("", "me", "cluster https://192.0.2.1:6443"))
    assert suggest_next_step(live).endswith("kubectl describe service web --namespace=shop")
    files = replace(document, process=ProcessReference("", "me", "files shop.yaml"))
    assert suggest_next_step(files).endswith(
        "Add that to the status in the manifest, or use that of the cluster: extdns plan --with-cluster"
    )


def test_the_next_step_for_an_orphan_that_will_be_deleted_says_first_that_extdns_deletes_it() -> None:
    document = explain(NAMES[Reason.ORPHAN_GONE]())
    assert suggest_next_step(document).startswith("nothing to do if nobody needs the record: extdns deletes it. ")
    assert "To keep the record, let an object request the name" in suggest_next_step(document)


@pytest.mark.parametrize(
    ("provider", "parent"),
    [
        ("aws", ", or add --aws-zone-match-parent, to manage the zones above it, too"),
        ("google", ""),
    ],
)
def test_of_a_name_whose_zone_a_filter_excludes_the_next_step_names_the_filter_and_the_zone(
    provider: str, parent: str
) -> None:
    world = build_world()
    world.provider.zone_list = ZoneList(zones=(), excluded=("example.com", "example.org"))
    now = EngineSnapshot(run_on(world, REQUESTED, change_phase(SERVICE), change_phase(INGRESS)).engine)
    config = parse(["--source=service", f"--provider={provider}", "--domain-filter=web.example.org"], {})
    document = build_name(now, DnsName(WEB), config, missing=())
    assert document.reason == Reason.NO_ZONE
    assert suggest_next_step(document) == (
        f"check --domain-filter=web.example.org{parent}. The zone that can hold the name: example.org"
    )
    assert "none; 0 zones known, none of which can hold the name; filters exclude example.org" in render(document)
