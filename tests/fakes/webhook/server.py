"""The fake webhook provider, with the methods that tests use to edit records and to make calls fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from threading import Condition, Lock
from typing import Any, Final

from tests.fakes.service.answers import Answer, ApiError
from tests.fakes.service.faults import Fault
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService
from tests.fakes.webhook import answers
from tests.fakes.webhook.defects import Defect
from tests.fakes.webhook.zone import Changes, Endpoint, Key, Records, Refused, find_key, normalize_keys

_LARGE_BYTES: Final = 16 * 1024
_PAGE: Final = 100
_OVERLAP_S: Final = 0.1


class Action(StrEnum):
    """A call of the protocol."""

    NEGOTIATE = "negotiate"
    RECORDS = "records"
    APPLY = "apply"
    ADJUST = "adjust"
    OTHER = "other"


_ACTIONS: Final[Mapping[tuple[str, str], Action]] = {
    ("GET", "/records"): Action.RECORDS,
    ("POST", "/records"): Action.APPLY,
    ("POST", "/adjustendpoints"): Action.ADJUST,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    action: str
    zone_id: str
    body: bytes


class WebhookServer(FakeService):
    """A webhook provider.

    Attributes:
        calls: the calls received, in order.
        unsupported: record types that `/adjustendpoints` drops and `/records` refuses.
        failing_names: names for which `/adjustendpoints` answers 500, or fails as *adjust_fault* says.
    """

    def __init__(
        self, *zones: str, defect: Defect | None = None, unsupported: Collection[str] = (), default_ttl_s: int = 0
    ) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.unsupported = unsupported
        self.failing_names: set[str] = set()
        self.adjust_fault = Fault()
        self._zones = zones
        self._defect = defect
        self._records = Records(zones, defect, default_ttl_s)
        self._lock = Lock()
        self._overlap = Condition()
        self._in_flight = 0

    def put(self, name: str, rtype: str, *targets: str, **fields: Any) -> None:  # noqa: ANN401 - any field of Endpoint
        """Create or replace a record. *fields* are further fields of the Endpoint, such as `recordTTL`."""
        with self._lock:
            self._records.put({"dnsName": name, "recordType": rtype, "targets": list(targets), **fields})

    def delete(self, name: str, rtype: str, set_identifier: str = "") -> None:
        with self._lock:
            del self._records.found[Key(name, rtype, set_identifier)]

    def records(self) -> dict[Key, Endpoint]:
        with self._lock:
            return dict(self._records.found)

    def _respond(self, request: Request) -> Answer:
        path = request.target.partition("?")[0]
        other = Action.OTHER if path in {"/records", "/adjustendpoints"} else Action.NEGOTIATE
        call = Call(action=_ACTIONS.get((request.method, path), other), zone_id="", body=request.body)
        self.calls.append(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            answer = self._answer(call)
        except ApiError as exc:
            answer = _build_error(exc.status, exc.message)
        except Refused as exc:
            answer = _build_error(400 if self._defect is Defect.REFUSAL_STATUS_400 else 500, str(exc))
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            answer = self._answer_invalid(f"invalid JSON: {exc}")
        return fault.after(answer)

    def _answer(self, call: Call) -> Answer:
        if self._defect is Defect.LARGE_REQUESTS_REFUSED and len(call.body) > _LARGE_BYTES:
            return _build_error(413, "too large")
        match call.action:
            case Action.NEGOTIATE:
                return self._alter(answers.build_answer({"include": sorted(self._zones)}), answers.NEGOTIATIONS)
            case Action.RECORDS:
                return self._alter(answers.build_answer(self._list()), answers.LISTS)
            case Action.APPLY:
                self._apply(_parse_changes(call.body, exact=self._defect is Defect.KEYS_CASE_SENSITIVE))
                return self._alter(Answer(status=204, body=b""), answers.APPLICATIONS)
            case Action.ADJUST:
                endpoints = normalize_keys(json.loads(call.body))
                if not isinstance(endpoints, list):
                    raise TypeError("not an array")
                return self._alter(answers.build_answer(self._adjust(endpoints)), answers.ADJUSTMENTS)
            case _:
                accepted = self._defect is Defect.OTHER_METHODS_ACCEPTED
                return answers.build_answer([]) if accepted else _build_error(400, "unsupported method")

    def _alter(self, answer: Answer, changes: Mapping[Defect, Callable[[Answer], Answer]]) -> Answer:
        change = changes.get(self._defect) if self._defect else None
        return change(answer) if change else answer

    def _answer_invalid(self, message: str) -> Answer:
        if self._defect is Defect.INVALID_JSON_ACCEPTED:
            return Answer(status=204, body=b"")
        return _build_error(500 if self._defect is Defect.INVALID_JSON_STATUS_500 else 400, message)

    def _list(self) -> list[Endpoint]:
        with self._lock:
            found = dict(self._records.found)
            if self._defect is Defect.UPDATES_NOT_READ_BACK:
                found |= {key: former for key, former in self._records.former.items() if key in found}
        listed = answers.edit(list(found.values()), answers.LISTED, self._defect)
        return listed[:_PAGE] if self._defect is Defect.ONLY_FIRST_PAGE else listed

    def _apply(self, changes: Changes) -> None:
        if self._defect is Defect.NO_CHANGES_REFUSED and not any(changes):
            raise Refused("there are no changes")
        for endpoint in changes.create:
            if endpoint["recordType"] in self.unsupported:
                raise Refused(f"{find_key(endpoint)}: the type is not supported")
        if self._defect is Defect.CREATES_IGNORED:
            changes = changes._replace(create=())
        with self._lock:
            before = dict(self._records.found)
        if self._defect is Defect.CONCURRENT_CHANGES_MISSING:
            self._wait_for_another()
        with self._lock:
            if self._defect is Defect.CONCURRENT_CHANGES_MISSING:
                self._records.found = before
            self._records.apply(changes)

    def _wait_for_another(self) -> None:
        """Wait a moment for another request that changes records."""
        with self._overlap:
            self._in_flight += 1
            self._overlap.notify_all()
            self._overlap.wait_for(lambda: self._in_flight > 1, _OVERLAP_S)
        with self._overlap:
            self._in_flight -= 1

    def _adjust(self, endpoints: list[Endpoint]) -> list[Endpoint]:
        if self._defect is Defect.ADJUST_REFUSES_EMPTY_LIST and not endpoints:
            raise Refused("there are no endpoints")
        for endpoint in endpoints:
            if endpoint["dnsName"] in self.failing_names:
                self.adjust_fault.before()
                raise Refused(f"cannot adjust {endpoint['dnsName']}")
        found = [one for one in endpoints if one["recordType"] not in self.unsupported]
        if self._defect is Defect.ADJUST_STORES:
            with self._lock:
                for endpoint in found:
                    self._records.put(endpoint)
        return answers.edit(found, answers.ADJUSTED, self._defect)


def _parse_changes(body: bytes, *, exact: bool) -> Changes:
    found = json.loads(body)
    changes = found if exact else normalize_keys(found)
    if not isinstance(changes, dict):
        raise TypeError("not an object")
    keys = ("create", "updateOld", "updateNew", "delete")
    return Changes(*(changes.get(key) or () for key in keys))


def _build_error(status: int, message: str) -> Answer:
    return Answer(status=status, body=f"{message}\n".encode(), headers={"Content-Type": "text/plain; charset=utf-8"})
