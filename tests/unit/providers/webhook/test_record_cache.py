"""One read of all records can serve several callers."""

from __future__ import annotations

from threading import Event, Lock, Semaphore, Thread
from types import TracebackType

import pytest

from extdns.errors import RetryableError
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.common.zone_contents import ZoneContents
from providers.webhook.record_cache import RecordCache

ZONE = Zone(name=DnsName("example.org"), id="example.org")


class CountedLock:
    """A lock that counts who tries to enter it."""

    def __init__(self) -> None:
        self.entered = Semaphore(0)
        self._lock = Lock()

    def __enter__(self) -> None:
        self.entered.release()
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


@pytest.mark.parametrize("fails", [False, True], ids=["read", "failed"])
def test_one_read_serves_all_callers_that_requested_it_before_it_began(fails: bool) -> None:
    reads: list[int] = []
    can_end = Event()

    def read() -> bytes:
        reads.append(len(reads))
        can_end.wait()
        if fails:
            raise RetryableError("no")
        return b""

    cache = RecordCache(read, lambda _: {})
    cache._read_lock = lock = CountedLock()  # type: ignore[assignment]
    failed: list[RetryableError] = []

    def get() -> None:
        try:
            cache.get(ZONE)
        except RetryableError as exc:
            failed.append(exc)

    threads = [Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in threads:
        lock.entered.acquire()
    can_end.set()
    for thread in threads:
        thread.join()
    assert len(reads) <= 2  # the first, and one for all who came while it ran
    assert len(failed) == (8 if fails else 0)


def test_a_response_equal_to_the_last_one_is_not_converted_again_until_the_zones_change() -> None:
    converted: list[bytes] = []

    def convert(body: bytes) -> dict[str, ZoneContents]:
        converted.append(body)
        return {}

    cache = RecordCache(lambda: b"same", convert)
    cache.get(ZONE)
    cache.get(ZONE)
    assert converted == [b"same"]
    cache.forget()
    cache.get(ZONE)
    assert converted == [b"same", b"same"]
