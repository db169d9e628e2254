"""Show desired records to the webhook, which adjusts them (docs/design/webhook.md, "Adjusting")."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from extdns.model.change import Refusal
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord
from extdns.model.value import group_by, take_turns
from providers.common.api_calls import CallFailedError, parse_service_name
from providers.webhook import records
from providers.webhook.client import EndpointsRefusedError, WebhookClient
from providers.webhook.wire import Endpoint, encode_endpoints

_K = TypeVar("_K")
_V = TypeVar("_V")

_MAX_ADJUSTED: Final = 5000
"""The most endpoints of one request to adjust them."""

_MAX_CALLS: Final = 64
"""After so many calls, the requests that fail are not split further."""

_MAX_CALLS_UNANSWERED: Final = 40
"""After so many calls that all fail, no record is to blame, unless one that was adjusted before is adjusted again.

Fewer calls reach single records at both ends of 5,000.
"""

_MAX_SLOW_CALLS: Final = 3
"""After so many calls that fail slowly, such as by time-outs, the rest waits for the next request."""

_MAX_STORED_BYTES: Final = 32_000_000
"""The most bytes of stored records, as they are sent. Those of a webhook with 100,000 records take half of it."""

_KEPT: Final = 0.9
"""How much of that stays once it was exceeded, so that not each further record makes one search for the oldest."""


class Adjuster:
    """Shows records to the webhook, and stores its answers.

    If the stored records are too large together, the older half of those of the namespace with most bytes is forgotten,
    and so on, so that an object that changes all the time fills no memory. A forgotten one is shown again when it is
    needed.

    Attributes:
        answers: what the webhook made of each record.
    """

    def __init__(self, client: WebhookClient) -> None:
        self._client = client
        self.answers: dict[DesiredRecord, tuple[DesiredRecord | Refusal, ...]] = {}
        # The messages of the records that failed alone and were not answered since, in the order of their failures.
        self._failing: dict[DesiredRecord, str] = {}
        self._slow: dict[str, None] = {}  # the namespaces for which a request failed slowly, in the same order
        self._sizes: dict[DesiredRecord, int] = {}  # bytes of those in both tables, in the order of their first calls
        self._stored_bytes = 0

    def load(self, desired: Iterable[DesiredRecord]) -> Mapping[DesiredRecord, str]:
        """Ask the webhook about *desired*, and return the messages of the records that failed alone.

        A request has at most one record of each name, so that answers can be attributed. Namespaces take turns, so that
        the records of one which the webhook cannot adjust do not delay those of others. Those for which a request
        failed slowly are asked about apart: only if there is no other one.

        Raises:
            ProviderError: a request failed for which no record is to blame; the answers before it are stored.
        """
        requested = dict.fromkeys(desired)
        self._forget_oldest()
        new = [one for one in requested if one not in self._failing]
        known = [one for one in self._failing if one in requested]
        by_namespace = group_by(new, lambda one: one.namespace)
        slow = [by_namespace.pop(namespace) for namespace in self._slow if namespace in by_namespace]
        parts = [take_turns(by_namespace.values())] if by_namespace else take_turns(map(_split_slow, slow))
        slow_calls = self._load(chain.from_iterable(map(_split_requests, parts)), is_answered=len(new) == 1)
        self._load(_split_requests(known), is_answered=True, slow_calls=min(slow_calls, _MAX_SLOW_CALLS - 1))
        unanswered = {one.namespace for one in requested if one not in self.answers}
        for namespace in {one.namespace for one in requested} - unanswered:
            self._slow.pop(namespace, None)
        return {one: self._failing[one] for one in requested if one in self._failing}

    def _load(self, requests: Iterable[list[DesiredRecord]], *, is_answered: bool, slow_calls: int = 0) -> int:
        """Send *requests*; halve those that fail, and send the halves. Return how many calls failed slowly.

        With *is_answered*, records are to blame even if all requests fail. Without it, after the first record that
        fails alone, the others are sent from both ends in turn until one is answered: the records next to the first one
        may fail for the same reason, as those of one object.
        """
        waiting, calls, has_failed = deque(requests), 0, False
        while waiting and slow_calls < _MAX_SLOW_CALLS:
            if has_failed and not is_answered:
                waiting.reverse()
            request, calls = waiting.popleft(), calls + 1
            try:
                self._store(request, self._client.adjust(map(records.build_endpoint, request)))
                is_answered = True
            except EndpointsRefusedError as refused:
                parts = self._record_failure(request, refused)
                has_failed |= not parts
                is_answered |= refused.is_final and not parts
                slow_calls += refused.is_slow
                if calls <= _MAX_CALLS and refused.is_slow:
                    waiting.extend(parts)
                elif calls <= _MAX_CALLS:
                    waiting.extendleft(reversed(parts))
                has_ended = not waiting or calls >= _MAX_CALLS_UNANSWERED or slow_calls >= _MAX_SLOW_CALLS
                if has_ended and not is_answered:
                    if not self._is_working():
                        raise
                    is_answered = True
        return slow_calls

    def _record_failure(
        self, request: Sequence[DesiredRecord], failed: EndpointsRefusedError
    ) -> list[list[DesiredRecord]]:
        """Store that *request* failed, and return its parts to send; [] if it is one record."""
        namespaces = {one.namespace for one in request}
        if failed.is_slow and len(namespaces) == 1:
            _move_to_end(self._slow, dict.fromkeys(namespaces))
        if len(request) > 1:
            middle = len(request) // 2
            return _split_slow(request) if failed.is_slow else [list(request[:middle]), list(request[middle:])]
        self._count(request[0])
        if failed.is_final:
            refusal = Refusal(desired=request[0], reason=Reason.UNSUPPORTED, detail=str(failed))
            self._failing.pop(request[0], None)
            self.answers[request[0]] = (refusal,)
        else:
            _move_to_end(self._failing, {request[0]: str(failed)})
        return []

    def _count(self, one: DesiredRecord) -> None:
        if one not in self._sizes:
            self._sizes[one] = len(encode_endpoints([records.build_endpoint(one)]))
            self._stored_bytes += self._sizes[one]

    def _forget_oldest(self) -> None:
        if self._stored_bytes <= _MAX_STORED_BYTES:
            return
        by_namespace = group_by(self._sizes, lambda one: one.namespace)
        sizes = {namespace: sum(map(self._sizes.__getitem__, stored)) for namespace, stored in by_namespace.items()}
        while self._stored_bytes > _KEPT * _MAX_STORED_BYTES:
            largest = max(sizes, key=sizes.__getitem__)
            stored = by_namespace[largest]
            middle = len(stored) // 2 + 1
            by_namespace[largest] = stored[middle:]
            for one in stored[:middle]:
                size = self._sizes.pop(one)
                sizes[largest] -= size
                self._stored_bytes -= size
                self.answers.pop(one, None)
                self._failing.pop(one, None)

    def _is_working(self) -> bool:
        """Return whether the webhook adjusts a record that it adjusted before."""
        known = next((one for one, found in self.answers.items() if isinstance(found[0], DesiredRecord)), None)
        try:
            return known is not None and bool(self._client.adjust([records.build_endpoint(known)]))
        except CallFailedError:
            return False

    def _store(self, request: Sequence[DesiredRecord], answers: Iterable[Endpoint]) -> None:
        by_name: dict[DnsName, list[Endpoint]] = {}
        for endpoint in answers:
            if (name := parse_service_name(endpoint.dns_name)) is not None:
                by_name.setdefault(name, []).append(endpoint)
        for one in request:
            self._failing.pop(one, None)
            self._count(one)
        self.answers.update({one: records.parse_adjusted(one, by_name.get(one.name, ())) for one in request})


def _split_requests(desired: Iterable[DesiredRecord]) -> list[list[DesiredRecord]]:
    """Return *desired* in lists of at most `_MAX_ADJUSTED` records, each with at most one record of each name."""
    requests: list[list[DesiredRecord]] = []
    used: dict[DnsName, int] = {}
    rounds: list[list[DesiredRecord]] = []
    for one in dict.fromkeys(desired):
        number = used[one.name] = used.get(one.name, -1) + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(one)
    for entries in rounds:
        requests += (entries[at : at + _MAX_ADJUSTED] for at in range(0, len(entries), _MAX_ADJUSTED))
    return requests


def _split_slow(request: Sequence[DesiredRecord]) -> list[list[DesiredRecord]]:
    """Return the parts of a *request* that failed slowly: its namespaces, or those of one namespace in growing parts.

    The first of these is one record, so each search decides at least one.
    """
    if len(namespaces := group_by(request, lambda one: one.namespace)) > 1:
        return list(namespaces.values())
    return [list(request[2**part - 1 : 2 ** (part + 1) - 1]) for part in range(len(request).bit_length())]


def _move_to_end(found: dict[_K, _V], entries: Mapping[_K, _V]) -> None:
    """Set *entries* in *found*, as the last ones."""
    for key in entries:
        found.pop(key, None)
    found.update(entries)
