"""Records that nobody asks for, and records that others may not touch (design 4, "Start"; design 6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from extdns.engine.inputs import Cause, Observed
from extdns.model.cluster import Phase
from extdns.model.reason import Reason
from extdns.model.record import Record
from tests.unit.engine.stage import (
    INGRESS,
    KINDS,
    SERVICE,
    ZONE,
    gone,
    mark,
    owned,
    phase,
    published,
    record,
    running,
    seen,
    stage,
    wants,
    withholds,
)

# orphans


def test_a_record_whose_object_is_gone_since_before_the_start_goes_after_confirmation() -> None:
    world = stage(*owned("web"))
    world.run(phase(SERVICE), phase(INGRESS))
    assert world.calls.count("Confirm") == 1
    assert world.evidence == ["orphan-gone"]
    assert world.holds() == {}


@pytest.mark.parametrize(
    "records",
    [
        pytest.param(owned("web", resource="service/shop/api"), id="object-asks-for-something-else"),
        pytest.param(owned("web", resource=""), id="mark-names-nothing"),
        pytest.param(owned("web", resource="gateway/shop/web"), id="nothing-reads-that-kind"),
        pytest.param(owned("web", resource="service"), id="mark-is-garbled"),
    ],
)
def test_an_orphan_that_nothing_shows_to_be_gone_is_held(records: Sequence[Record]) -> None:
    world = running(*records, first=[seen("api", wants("api", "api"))])
    world.run(for_s=600.0)
    assert world.evidence == []
    assert world.endings("web") == ["A keep orphan-unclaimed"]


def test_a_record_of_a_namespace_that_is_not_read_is_held() -> None:
    world = running(*owned("web"), namespaces=("lab",))
    assert world.evidence == []
    assert world.endings("web") == ["A keep orphan-unclaimed"]
    assert "Confirm" not in world.calls


def test_an_orphan_goes_when_its_object_is_deleted_at_last() -> None:
    world = running(*owned("web"), first=[seen("web", wants("web", "api"))])
    assert world.endings("web") == ["A keep orphan-unclaimed"]
    world.run(gone("web"))
    assert sorted(world.evidence) == ["object-deleted", "orphan-gone"]
    assert world.holds() == {}


def test_an_orphan_is_adopted_when_its_object_asks_for_it() -> None:
    world = running(*owned("web"), first=[seen("web")])
    world.run(seen("web", wants("web", "web")))
    assert world.endings("web") == ["A keep programmed"]


def test_a_mark_that_names_nothing_makes_an_orphan_only_while_all_sources_are_synced() -> None:
    world = stage(*owned("web", resource=""))
    world.run(phase(SERVICE), phase(INGRESS, Phase.FAILING), for_s=40.0)
    assert world.endings("web") == ["A keep source-down"]
    world.run(phase(INGRESS))
    assert world.endings("web") == ["A keep orphan-unclaimed"]


def test_a_record_whose_mark_names_nothing_is_not_removed_by_unconfirmed_absence() -> None:
    world = running(*owned("web", resource=""), first=[seen("web", wants("web", "web"))])
    world.exists = lambda _: None
    world.run(gone("web", Cause.MISSING), for_s=600.0)
    assert world.evidence == []


def test_an_object_that_fails_withholds_every_record_made_for_it() -> None:
    world = running(*owned("web"), first=[seen("web", failure="broken")])
    assert world.endings("web") == ["A keep object-failed"]
    world.run(seen("web", wants("web", "api")))
    assert world.endings("web") == ["A keep orphan-unclaimed"]


def test_one_source_that_computes_an_object_does_not_hide_that_another_cannot() -> None:
    broken = seen("web", failure="broken").observations[0]
    world = running(
        *owned("web"),
        first=[Observed(observations=(replace(broken, source="other"),)), seen("web", wants("web", "api"))],
    )
    assert world.endings("web") == ["A keep object-failed"]


def test_what_is_known_of_an_object_counts_by_whatever_label_a_mark_names_it() -> None:
    records = owned("web", resource="application/shop/web")
    world = running(*records, first=[seen("web", wants("web", "web"))], kinds={**KINDS, "application": SERVICE})
    world.run(seen("web"))
    assert world.evidence == ["hostname-removed"]
    assert world.holds() == {}


# through other objects


def test_a_record_of_a_kind_that_is_not_seen_is_not_touched_by_others() -> None:
    world = stage(*owned("web", resource="ingress/shop/web"))
    world.run(
        phase(SERVICE), phase(INGRESS, Phase.FORBIDDEN), seen("web", wants("web", "web", "192.0.2.9")), for_s=60.0
    )
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.endings("web") == ["A keep source-down"]
    world.run(phase(INGRESS))
    assert world.holds() == {"web A": ("192.0.2.9",)}


def test_a_record_of_a_kind_that_is_not_seen_holds_up_its_own_set_only() -> None:
    theirs = record("web", set_identifier="green")
    world = stage(theirs, replace(mark("web", resource="ingress/shop/web"), set_identifier="green"))
    blue, green = (wants("web", "web", "192.0.2.9", set_identifier=colour) for colour in ("blue", "green"))
    world.run(phase(SERVICE), phase(INGRESS, Phase.FORBIDDEN), seen("web", blue, green), for_s=60.0)
    assert world.endings("web") == ["A keep programmed", "A keep source-down"]
    assert world.provider.contents(ZONE)[theirs.key] == theirs


def test_no_endpoints_of_one_object_say_nothing_about_the_record_of_another() -> None:
    world = running(
        *owned("web", resource="service/shop/api"),
        first=[seen("api"), seen("web", withholds("web", "web", Reason.NO_ENDPOINTS))],
    )
    assert world.evidence == []


def test_no_endpoints_do_not_count_while_the_kind_behind_the_record_is_down() -> None:
    world = published()
    world.run(phase(SERVICE, Phase.FAILING), seen("web", withholds("web", "web", Reason.NO_ENDPOINTS)))
    assert world.evidence == []
    assert world.endings("web") == ["none no-endpoints", "A keep source-down"]


def test_a_name_lives_on_with_another_object_without_a_gap() -> None:
    world = published()
    world.run(seen("new", wants("new", "web", "192.0.2.9")))
    world.run(gone("web"))
    assert world.holds() == {"web A": ("192.0.2.9",)}
    assert world.evidence == []


def test_a_withheld_claim_keeps_what_another_object_gave_up() -> None:
    world = published()
    world.run(seen("new", withholds("new", "web")), gone("web"))
    assert world.evidence == []
    assert world.endings("web") == ["A keep no-address"]


def test_a_change_of_form_needs_no_other_evidence() -> None:
    world = published()
    world.run(seen("web", wants("web", "web", "lb.test", rtype="CNAME")))
    assert world.evidence == ["replaced"]
