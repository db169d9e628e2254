"""Watches of a kind: the changes that lists and events make, their phases and their backoff."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extdns.kube import local_store as module
from extdns.kube.live.cluster import combine_phases
from extdns.kube.live.responses import RawObject, decode_object
from extdns.kube.live.watch_timing import WatchBackoff, WatchTiming
from extdns.kube.local_store import MAX_OBJECT_BYTES, Delta, DeltaTracker
from extdns.model.cluster import ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE, Service
from tests.cluster_changes import ProblemSummary, Summary, added, edited, removed, summarize_changes
from tests.clusters import service


def raw_object(
    name: str,
    version: str = "1",
    *,
    uid: str = "u",
    type: object = "NodePort",  # noqa: A002 - named like the field
    **metadata: Any,  # noqa: ANN401 - any metadata field
) -> RawObject:
    obj = service(name, type=type, uid=f"{uid}-{name}", resourceVersion=version, **metadata)
    return decode_object(json.dumps(obj).encode())


NAMELESS = decode_object(b'{"metadata":{"name":5}}')


def receive_list(tracker: DeltaTracker, *items: RawObject) -> list[Summary]:
    """Feed a complete list of *items* to *tracker*, and return the reported changes."""
    tracker.begin_list()
    deltas: list[Delta] = [one for item in items for one in tracker.receive_listed(item)]
    return summarize_changes([*deltas, *tracker.complete_list()])


def track(*items: RawObject) -> DeltaTracker:
    tracker = DeltaTracker(SERVICE)
    receive_list(tracker, *items)
    return tracker


def test_objects_without_a_resource_version_are_decoded_in_every_list() -> None:
    tracker = track(raw_object("a", ""))
    receive_list(tracker, raw_object("a", ""))
    assert tracker.decoded == 2


def test_a_list_that_is_cut_off_removes_no_object() -> None:
    tracker = track(raw_object("a"), raw_object("b"))
    tracker.begin_list()
    assert summarize_changes(tracker.receive_listed(raw_object("b", "2"))) == [edited(SERVICE, "shop/b")]
    assert receive_list(tracker, raw_object("a"), raw_object("b", "2")) == []


def test_each_watch_event_reports_the_old_and_the_new_object() -> None:
    tracker = track(raw_object("a"))
    (change,) = tracker.receive_change(raw_object("a", "2", type="ClusterIP"))
    assert isinstance(change, ObjectChange)
    assert isinstance(change.old, Service)
    assert isinstance(change.new, Service)
    assert (change.old.spec.type, change.new.spec.type) == ("NodePort", "ClusterIP")
    assert summarize_changes(tracker.receive_delete(raw_object("a", "3"))) == [removed(SERVICE, "shop/a")]
    assert summarize_changes(tracker.receive_delete(raw_object("a", "3"))) == []
    assert summarize_changes(tracker.receive_change(raw_object("a", "4"))) == [added(SERVICE, "shop/a")]
    assert tracker.decoded == 3


def test_an_object_deleted_during_a_list_is_reported_as_deleted_not_missing() -> None:
    tracker = track(raw_object("a"))
    tracker.begin_list()
    assert summarize_changes(tracker.receive_delete(raw_object("a", "2"))) == [removed(SERVICE, "shop/a")]
    assert summarize_changes(tracker.complete_list()) == []


def test_an_invalid_object_is_reported_once_and_its_last_valid_version_stays_in_use() -> None:
    tracker = track(raw_object("a"))
    assert summarize_changes(tracker.receive_change(raw_object("a", "2", type=60))) == [
        ProblemSummary("Service shop/a", "a", "spec.type is the number 60; allowed: a string, so quote it")
    ]
    assert summarize_changes(tracker.receive_change(raw_object("a", "3", type=60))) == []
    assert summarize_changes(tracker.receive_change(raw_object("a", "4", type=70))) == [
        ProblemSummary("Service shop/a", "a", "spec.type is the number 70; allowed: a string, so quote it")
    ]
    assert receive_list(tracker, raw_object("a", "4", type=70)) == []
    assert tracker.decoded == 4
    solved, change = tracker.receive_change(raw_object("a", "5", type="ClusterIP"))
    assert solved == ObjectProblem(location="Service shop/a", key=ObjectKey(SERVICE, "shop", "a"), message="")
    assert summarize_changes([change]) == [edited(SERVICE, "shop/a")]


@pytest.mark.parametrize("was_good", [True, False])
def test_the_problem_of_an_invalid_object_ends_when_the_object_is_removed(was_good: bool) -> None:
    tracker = track(*([raw_object("a")] if was_good else []))
    list(tracker.receive_change(raw_object("a", "2", type=60)))
    assert receive_list(tracker) == [
        ProblemSummary("Service shop/a", "a", ""),
        *([removed(SERVICE, "shop/a", Sighting.MISSING)] if was_good else []),
    ]
    list(tracker.receive_change(raw_object("a", "3", type=60)))
    assert summarize_changes(tracker.receive_delete(raw_object("a", "4"))) == [
        ProblemSummary("Service shop/a", "a", "")
    ]


def test_a_list_that_contains_an_item_without_a_name_removes_no_object() -> None:
    tracker = track(raw_object("a"))
    message = "an object of this kind cannot be identified; allowed: metadata with name and namespace"
    assert receive_list(tracker, NAMELESS) == [ProblemSummary("some Service", "", message)]
    assert receive_list(tracker, NAMELESS, NAMELESS) == []
    assert receive_list(tracker) == [
        ProblemSummary("some Service", "", ""),
        removed(SERVICE, "shop/a", Sighting.MISSING),
    ]


def test_a_watch_event_about_an_object_without_a_name_is_reported() -> None:
    tracker = DeltaTracker(SERVICE)
    assert len(summarize_changes(tracker.receive_change(NAMELESS))) == 1
    assert summarize_changes(tracker.receive_delete(NAMELESS)) == []


def test_an_object_above_the_size_limit_is_reported_and_does_not_affect_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_OBJECT_BYTES >> 20 == 8
    monkeypatch.setattr(module, "MAX_OBJECT_BYTES", 1 << 20)
    large = raw_object("a", annotations={"note": "x" * (3 << 20)})
    assert receive_list(DeltaTracker(SERVICE), large, raw_object("b")) == [
        ProblemSummary("Service shop/a", "a", "the object is 3 MiB large; allowed: 1 MiB"),
        added(SERVICE, "shop/b"),
    ]


def test_the_copy_of_an_object_that_kubectl_stores_is_dropped_and_equal_strings_of_objects_share_memory() -> None:
    words = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "example.org/a-word-of-some-length-here": "x"}
    (one,) = DeltaTracker(SERVICE).receive_change(raw_object("a", annotations=words, labels={"app": "web"}))
    (other,) = DeltaTracker(SERVICE).receive_change(raw_object("b", annotations=words))
    assert isinstance(one, ObjectChange)
    assert isinstance(other, ObjectChange)
    assert one.new is not None
    assert other.new is not None
    ((key, value),) = (one.new.metadata.annotations or {}).items()
    ((same, _),) = (other.new.metadata.annotations or {}).items()
    assert (key, value) == ("example.org/a-word-of-some-length-here", "x")
    assert key is same
    assert one.new.metadata.namespace is other.new.metadata.namespace
    assert one.new.metadata.labels == {"app": "web"}


# The phase of a kind is the worst phase of its namespaces


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        pytest.param([Phase.SYNCED], Phase.SYNCED, id="one"),
        pytest.param([Phase.SYNCED, Phase.SYNCED], Phase.SYNCED, id="all"),
        pytest.param([Phase.SYNCED, Phase.LISTING], Phase.LISTING, id="not-all-yet"),
        pytest.param([Phase.LISTING, Phase.FAILING, Phase.SYNCED], Phase.FAILING, id="one-failure-is-the-phase-of-all"),
        pytest.param([Phase.FAILING, Phase.NOT_SERVED], Phase.NOT_SERVED, id="not-served"),
        pytest.param([Phase.FORBIDDEN, Phase.FAILING], Phase.FORBIDDEN, id="problems-for-a-person-come-first"),
    ],
)
def test_a_kind_has_the_worst_phase_of_its_namespaces(phases: list[Phase], expected: Phase) -> None:
    assert combine_phases({f"n{n}": (phase, "") for n, phase in enumerate(phases)})[0] is expected


def test_the_detail_of_the_phase_of_a_kind_comes_from_the_first_namespace_in_that_phase() -> None:
    parts = {"b": (Phase.FAILING, "late"), "a": (Phase.SYNCED, ""), "c": (Phase.FAILING, "cut")}
    assert combine_phases(parts) == (Phase.FAILING, "late")


# Backoff of watches grows, has jitter, and is never shorter than the server's `Retry-After`


TIMING = WatchTiming(initial_backoff_s=1, max_backoff_s=6, min_watch_s=300, max_watch_s=600)
ALMOST_ONE = 1 - 2**-53


def count_failures(backoff: WatchBackoff, count: int) -> list[float]:
    return [backoff.count_failure(None) for _ in range(count)]


def test_the_backoff_of_a_watch_doubles_up_to_its_maximum() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 1.0), 5) == [1, 2, 4, 6, 6]


def test_jitter_reduces_the_backoff_of_a_watch_by_at_most_half() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 0.0), 4) == [0.5, 1, 2, 3]


def test_a_watch_resets_its_backoff_only_after_it_was_open_for_long_enough() -> None:
    backoff = WatchBackoff(TIMING, lambda: 1.0)
    count_failures(backoff, 3)
    assert not backoff.reset_if_healthy(1000.0)  # no watch was opened
    backoff.start_watch(1000.0)
    assert not backoff.reset_if_healthy(1000.0 + TIMING.healthy_after_s - 0.1)
    assert backoff.failures == 3
    backoff.start_watch(2000.0)
    assert backoff.reset_if_healthy(2000.0 + TIMING.healthy_after_s)
    assert backoff.failures == 0
    assert not backoff.reset_if_healthy(3000.0)


@pytest.mark.parametrize(
    ("retry_after_s", "pause_s"),
    [pytest.param(0.0, 1.0, id="less"), pytest.param(5.0, 5.0, id="more"), pytest.param(60.0, 60.0, id="much-more")],
)
def test_the_retry_after_header_can_lengthen_the_backoff_of_a_watch(retry_after_s: float, pause_s: float) -> None:
    assert WatchBackoff(TIMING, lambda: 1.0).count_failure(retry_after_s) == pause_s


def test_the_backoff_of_a_watch_is_finite_after_any_number_of_failures() -> None:
    assert count_failures(WatchBackoff(TIMING, lambda: 1.0), 2000)[-1] == 6


def test_watches_are_requested_with_random_timeouts_between_five_and_ten_minutes() -> None:
    early, late = WatchBackoff(TIMING, lambda: 0.0), WatchBackoff(TIMING, lambda: ALMOST_ONE)
    assert (early.choose_watch_s(), late.choose_watch_s()) == (300, 600)


def test_the_idle_timeout_of_a_watch_is_longer_than_the_bookmark_interval_and_shorter_than_the_watch() -> None:
    assert 2 * 75 > WatchTiming().idle_timeout_s > 75  # the server sends a bookmark every 60 s, plus or minus 25 %
    assert WatchTiming().idle_timeout_s < WatchTiming().min_watch_s
