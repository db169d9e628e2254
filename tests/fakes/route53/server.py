"""The fake Route 53, with the methods that tests use to change zones and behaviour."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tests.fakes.route53 import names, wire
from tests.fakes.route53.access import Access
from tests.fakes.route53.api import Api
from tests.fakes.route53.bodies import Submission, parse_submission
from tests.fakes.route53.buckets import Buckets, Rate
from tests.fakes.route53.errors import build_throttled
from tests.fakes.route53.log import CHANGE, Call
from tests.fakes.route53.records import Json, RecordSet, decode, encode
from tests.fakes.route53.requests import Called, build_unknown_action, parse
from tests.fakes.route53.zones import Author, Edit, Zone
from tests.fakes.service.answers import Answer, ApiError, ConnectionCut
from tests.fakes.service.listener import Request
from tests.fakes.service.log import Log
from tests.fakes.service.server import FakeService

ACCOUNT: Final = "123456789012"


class Route53(FakeService):
    """A fake Route 53. The methods that change zones bypass access control, validation, faults and the log.

    Attributes:
        api: its `health_checks` can be set at any time.
        latency_s: how long each call is delayed before it is carried out.
        accounts: the account of each access key; other keys belong to `ACCOUNT`.
    """

    def __init__(
        self,
        *,
        latency_s: float = 0.0,
        per_action: Rate | None = None,
        clock: Callable[[], float] = time.monotonic,
        accounts: Mapping[str, str] | None = None,
        tls: bool = False,
    ) -> None:
        super().__init__(tls=tls)
        self.log = Log[Call]()
        self.access = Access()
        self.api = Api()
        self.buckets = Buckets(clock, action=per_action)
        self.latency_s = latency_s
        self.accounts = dict(accounts or {})

    def reset(self) -> None:
        self.faults.clear()
        self.access = Access()
        self.log.clear()
        with self.api.lock:
            self.api.zones.clear()
            self.api.health_checks.clear()

    # Zones and records, as other people would read and change them

    def add_zone(
        self,
        name: str,
        *,
        zone_id: str = "",
        private: bool = False,
        records: Iterable[Json] = (),
        tags: Mapping[str, str] | None = None,
        account: str = ACCOUNT,
    ) -> str:
        """Create a hosted zone with its NS, its SOA and *records*. Return its id without prefix.

        Records are in the form of boto3, and values may be plain strings.
        """
        with self.api.lock:
            zone = Zone(
                zone_id=zone_id.removeprefix("/hostedzone/") or self.api.new_id("Z"),
                name=names.normalize(name),
                account=account,
                private=private,
                tags=dict(tags or {}),
            )
            self.api.zones[zone.zone_id] = zone
            zone.load(decode(record) for record in records)
        return zone.zone_id

    def remove_zone(self, zone_id: str) -> None:
        with self.api.lock:
            del self.api.zones[zone_id]

    def put(self, zone_id: str, *records: Json) -> None:
        with self.api.lock:
            zone = self.api.zones[zone_id]
            for original in records:
                record = decode(original)
                zone.replace(
                    record.name,
                    {**zone.held(record.name), (record.type, record.set_identifier): record},
                    by=Author.TEST,
                )

    def delete(self, zone_id: str, name: str, kind: str, set_identifier: str = "") -> None:
        with self.api.lock:
            zone = self.api.zones[zone_id]
            held = dict(zone.held(names.normalize(name)))
            del held[kind, set_identifier]
            zone.replace(names.normalize(name), held, by=Author.TEST)

    def protect(self, zone_id: str, name: str, kind: str, comment: str = "") -> None:
        """Refuse all later API calls that change record sets with that name and type, whether or not they exist."""
        with self.api.lock:
            self.api.zones[zone_id].protections[names.normalize(name), kind] = comment

    def records(self, zone_id: str, *, name: str | None = None, own: bool = False) -> tuple[RecordSet, ...]:
        """Return the sorted record sets of a zone. With *own*, include SOA and NS of the apex, made by the service.

        Names are as the service shows them. *name* can be in any form.
        """
        with self.api.lock:
            zone = self.api.zones[zone_id]
            return tuple(
                record
                for record in zone.records()
                if (own or record.name != zone.name or record.type not in {"SOA", "NS"})
                and (name is None or record.name == names.normalize(name))
            )

    def shown(self, zone_id: str, *, name: str | None = None, own: bool = False) -> list[dict[str, Any]]:
        """Return the sorted record sets of a zone in the form of boto3, as `records` does."""
        return [encode(record) for record in self.records(zone_id, name=name, own=own)]

    def edits(self, zone_id: str, *, by: Author | None = None) -> tuple[Edit, ...]:
        """Return all creations, changes and deletions of record sets so far, or only those of one author."""
        with self.api.lock:
            return tuple(edit for edit in self.api.zones[zone_id].edits if by in {None, edit.by})

    # Calls

    def _respond(self, request: Request) -> Answer:
        called = parse(request)
        account = self.accounts.get(called.access_key, ACCOUNT)
        call = Call(
            action=called.action,
            account=account,
            zone_id=called.context,
            query=called.query,
        )
        if self.latency_s:
            time.sleep(self.latency_s)
        try:
            return self._answer(request, called, call)
        except ConnectionCut:
            call.record_answer(0, "ConnectionCut")
            raise

    def _answer(self, request: Request, called: Called, call: Call) -> Answer:
        failure, submitted = None, Submission()
        if called.action == CHANGE:
            try:
                submitted = parse_submission(called.body)
            except ApiError as exc:
                failure = exc
        call.changes = submitted.changes
        self.log.add(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            self._admit(request, called, call)
            if failure:
                raise failure
            root, fields = self.api.answer(called, call.account, submitted)
        except ApiError as exc:
            return fault.after(self._refusal(call, exc))
        answer = Answer(status=200, body=wire.render(root, fields), headers=self._headers())
        answered = fault.after(answer)
        call.record_answer(answered.status)
        return answered

    def _admit(self, request: Request, called: Called, call: Call) -> None:
        if not called.action:
            raise build_unknown_action(request)
        if not called.access_key:
            raise ApiError(403, "MissingAuthenticationToken", "Missing Authentication Token")
        with self.api.lock:
            if not self.buckets.admit(call.account, call.action):
                raise build_throttled()
        self.access.check(call)

    def _refusal(self, call: Call, error: ApiError) -> Answer:
        headers = self._headers()
        call.record_answer(error.status, error.code, error.message)
        body = wire.render_error(error, headers["x-amzn-RequestId"])
        return Answer(status=error.status, body=body, headers=headers)

    def _headers(self) -> dict[str, str]:
        with self.api.lock:
            return {"Content-Type": "text/xml", "x-amzn-RequestId": self.api.new_id("R")}
