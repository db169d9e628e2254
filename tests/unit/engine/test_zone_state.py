"""What is known of one zone: the effects of writes, pages that fail, and names that others change again and again."""

from __future__ import annotations

from extdns.engine.retries import Failure
from extdns.engine.write_queue import WriteQueue
from extdns.engine.zones import ZoneCache, ZoneRefresh
from extdns.model.zone import ZonePage
from tests.builders import host, record

A, AAAA, OTHER = record("web", "192.0.2.1"), record("web", "2001:db8::1", rtype="AAAA"), record("api", "192.0.2.1")


def test_a_write_replaces_the_written_records_only() -> None:
    cache = ZoneCache()
    cache.replace_names([host("web"), host("api")], (A, AAAA, OTHER))
    changed = record("web", "192.0.2.9")
    cache.record_write([A.key], [changed])
    assert cache.records(host("web")) == (changed, AAAA)
    cache.record_write([A.key, AAAA.key], [])
    assert list(cache.all_records()) == [OTHER]


def test_after_three_failures_a_round_begins_again_with_its_first_page() -> None:
    refresh, cache = ZoneRefresh(), ZoneCache()
    refresh.start_page(1.0)
    refresh.take_page(ZonePage(records=(A,), after="cursor"), cache, set())
    refresh.next_round_at = 1000.0
    found = []
    for _ in range(3):
        refresh.retry.record_failure(1.0)
        refresh.record_failure()
        found.append((refresh.after, refresh.pages))
    assert found == [("cursor", 1), ("cursor", 1), (None, 0)]
    assert refresh.next_page_at == 1000.0


def test_names_count_as_conflicting_after_five_write_conflicts() -> None:
    queue, found = WriteQueue(), []
    for _ in range(5):
        queue.retries.record_failure(host("web"), Failure.WRITE_CONFLICT, 1.0)
        found.append(queue.conflicting)
    assert found == [0, 0, 0, 0, 1]
