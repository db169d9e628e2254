"""`extdns explain` shows the right reason code, in one case for each code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.current_records import WaitingDeleteDocument
from extdns.documents.document import UNKNOWN_PROCESS
from extdns.documents.name import NameDocument, build_name
from extdns.documents.name_text import format_name
from extdns.documents.object import build_object
from extdns.documents.snapshot import EngineSnapshot, ProcessSnapshot
from extdns.engine.delete_budget import DeleteSettings
from extdns.engine.inputs import Cause
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from tests.builders import build_unresolved, observe, observe_gone, owned
from tests.unit.documents.cases import (
    INVALID_VALUES,
    NAMES,
    OTHER_NAMES,
    REQUESTED,
    UNRESOLVED_TIMEOUT,
    WEB,
    run_on,
    start_dry,
)
from tests.world import World

AT = datetime(2026, 11, 20, 9, 14, 31, tzinfo=UTC)
CONFIG = parse(["--source=service", "--provider=inmemory", "--txt-owner-id=me"], {})


def explain(world: World, name: str) -> NameDocument:
    seen_now = EngineSnapshot(world.engine)
    known = len(seen_now.zones)
    return build_name(seen_now, DnsName(name), CONFIG, zones_known=known, missing=seen_now.missing)


def list_codes(document: NameDocument) -> set[str]:
    """Return all reason codes in the explanation of a name."""
    outcomes = [one for claim in document.claims for one in claim.outcomes] + [
        one.outcome for one in document.records if one.outcome
    ]
    return {document.reason or "", *(one.reason for one in outcomes)}


def test_every_reason_code_has_a_test_case() -> None:
    assert set(NAMES) | set(INVALID_VALUES) == set(Reason)


@pytest.mark.parametrize("reason", NAMES)
def test_the_explanation_of_a_name_contains_its_reason_code(reason: Reason) -> None:
    document = explain(NAMES[reason](), OTHER_NAMES.get(reason, WEB))
    assert reason in list_codes(document), document
    assert f"[{reason}]" in "\n".join(format_name(document))


def explain_in_process(world: World, *, later_s: float = 0.0) -> NameDocument:
    """Return the explanation of the name by a running process, *later_s* seconds after the last step of *world*."""
    seen_now, at_s = EngineSnapshot(world.engine), world.now_s + later_s
    live = ProcessSnapshot(seen_now, at=AT, at_s=at_s, kinds=(), changes=(), synced=True)
    document = build_name(seen_now, DnsName(WEB), CONFIG, zones_known=1, missing=(), live=live)
    return replace(
        document,
        process=replace(UNKNOWN_PROCESS, address="http://127.0.0.1:7980", owner="me", objects="files shop.yaml"),
    )


def find_waiting(document: NameDocument) -> WaitingDeleteDocument | None:
    (record,) = document.records
    assert record.outcome is not None
    return record.outcome.waiting


def test_a_running_process_explains_a_waiting_delete_with_its_evidence_and_the_end_of_its_grace_period() -> None:
    document = explain_in_process(NAMES[Reason.IN_GRACE]())
    assert find_waiting(document) == WaitingDeleteDocument(
        evidence="object-deleted", grace_ends=AT + timedelta(seconds=55.02)
    )
    text = "\n".join(format_name(document))
    assert text.startswith(
        f"{WEB} exists, but no object requests it; it is deleted after the grace period.  [in-grace]"
    )
    assert "  evidence for a delete: [object-deleted]\n" in text
    assert "  the grace period ends at 2026-11-20 09:15:26 UTC, in 55s\n" in text
    assert text.endswith("let an object request the name before the grace period ends")


def test_without_saved_state_the_explanation_of_a_delete_by_absence_says_why_it_waits_ten_minutes() -> None:
    settings = DeleteSettings(owner="me", grace_s=60.0, stateless_wait_s=600.0)
    world = run_on(
        start_dry(*owned("web"), first=[REQUESTED], deletes=settings), observe_gone("web", Cause.MISSING), for_s=100.0
    )
    text = "\n".join(format_name(explain_in_process(world)))
    assert "  no saved state is known: deletes by absence wait until extdns has run for ten minutes\n" in text
    assert "  the grace period ends at 2026-11-20 09:22:50 UTC, in 8m\n" in text


def test_the_explanation_of_a_delete_says_when_its_grace_period_ended() -> None:
    text = "\n".join(format_name(explain_in_process(NAMES[Reason.IN_GRACE](), later_s=60.0)))
    assert "  the grace period ended at 2026-11-20 09:14:26 UTC\n" in text


def test_the_explanation_of_a_retained_record_shows_when_the_unresolved_timeout_ends() -> None:
    world = run_on(
        start_dry(*owned("web"), first=[observe("web", build_unresolved("web", "web"))], deletes=UNRESOLVED_TIMEOUT),
        for_s=20.0,
    )
    text = "\n".join(format_name(explain_in_process(world)))
    assert "  evidence for a delete: [unresolved-expired]\n" in text
    assert "  --unresolved-timeout ends at " in text


def test_the_explanation_of_a_delete_held_for_another_cluster_does_not_mention_the_unresolved_timeout() -> None:
    text = "\n".join(format_name(explain_in_process(NAMES[Reason.OTHER_CLUSTER]())))
    assert "  evidence for a delete: [object-deleted]\n" in text
    assert "  the grace period ended at 2026-11-20 09:14:26 UTC\n" in text
    assert "--unresolved-timeout" not in text


def test_the_explanation_of_a_change_held_for_another_cluster_shows_its_id_and_how_to_accept_it() -> None:
    world = NAMES[Reason.OTHER_CLUSTER]()
    text = "\n".join(format_name(explain_in_process(world)))
    assert f"  the objects come from cluster {world.engine.delete_guard.cluster.other_id}\n" in text
    assert "\nNext: to continue with the cluster of the objects, see how to accept it: extdns status" in text


@pytest.mark.parametrize("reason", [Reason.ABSENCE_UNCONFIRMED, Reason.SOURCE_DOWN, Reason.POLICY_KEEPS])
def test_the_explanation_of_a_kept_record_says_that_no_object_requests_it_and_when_extdns_decides_again(
    reason: Reason,
) -> None:
    text = "\n".join(format_name(explain(NAMES[reason](), WEB)))
    assert text.partition("\n")[0].startswith(f"{WEB} exists, but no object requests it")
    assert "Next: extdns decides again when something changes. All names: extdns plan [flags]" in text


def test_a_held_delete_is_explained_with_its_evidence_and_how_to_approve_it() -> None:
    document = explain_in_process(NAMES[Reason.HELD]())
    assert find_waiting(document) == WaitingDeleteDocument(evidence="object-deleted", grace_ends=None)
    assert "\n".join(format_name(document)).endswith(
        "and how to approve them: extdns status --controller=http://127.0.0.1:7980"
    )
    alone = explain(NAMES[Reason.HELD](), WEB)
    assert "\n".join(format_name(alone)).endswith("and how to approve them: extdns plan --held [flags]")


def test_a_single_pass_explains_a_waiting_delete_without_the_end_of_its_grace_period() -> None:
    document = explain(NAMES[Reason.IN_GRACE](), WEB)
    assert (document.at, find_waiting(document)) == (
        None,
        WaitingDeleteDocument(evidence="object-deleted", grace_ends=None),
    )


@pytest.mark.parametrize("reason", INVALID_VALUES)
def test_the_explanation_of_an_object_lists_its_invalid_values(reason: Reason) -> None:
    document = build_object(EngineSnapshot(INVALID_VALUES[reason]().engine), "service/shop/web", ())
    assert [one.reason for one in document.problems] == [reason]
