"""The service as tests use it."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from tests.fakes.apiserver import certificates
from tests.fakes.route53 import names, wire
from tests.fakes.route53.access import Access
from tests.fakes.route53.api import Api
from tests.fakes.route53.bodies import Submission, submission
from tests.fakes.route53.buckets import Buckets, Rate
from tests.fakes.route53.errors import throttled
from tests.fakes.route53.log import CHANGE, Call, Log
from tests.fakes.route53.records import Json, RecordSet, decode, encode
from tests.fakes.route53.requests import VERSION, Called, parse, unknown
from tests.fakes.route53.zones import Author, Edit, Vpc, Zone
from tests.fakes.service.answers import Answer, ApiError, ConnectionCut
from tests.fakes.service.faults import Faults
from tests.fakes.service.listener import HOST, Listener, Request

ACCOUNT: Final = "123456789012"
_ZONELESS: Final = frozenset({"GetChange", "GetHealthCheck"})


class Route53:
    """A Route 53 on a port of its own, from `__enter__` to `__exit__`.

    What a test does to zones here goes around access, rules, faults and the log.

    Attributes:
        api: its `propagation_s`, `working_s`, `page_records` and `health_checks` may be set at any time.
        latency_s: how long each call waits before anything is done.
        accounts: the account of each access key; keys that it lacks belong to `ACCOUNT`.
        ca: the CA in PEM, empty without TLS.
    """

    def __init__(
        self,
        *,
        latency_s: float = 0.0,
        per_account: Rate | None = None,
        per_action: Rate | None = None,
        throughput: Rate | None = None,
        clock: Callable[[], float] = time.monotonic,
        accounts: Mapping[str, str] | None = None,
        tls: bool = False,
    ) -> None:
        self.ca = b""
        self.log = Log()
        self.faults = Faults()
        self.access = Access()
        self.api = Api(now_s=clock)
        self.buckets = Buckets(clock, account=per_account, action=per_action, throughput=throughput)
        self.latency_s = latency_s
        self.accounts = dict(accounts or {})
        self._port = 0
        self._listener: Listener | None = None
        self._context: ssl.SSLContext | None = None
        if tls:
            with TemporaryDirectory() as folder:
                self._context, self.ca = certificates.make(Path(folder))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """Where it listens, or did before it was killed."""
        return f"{'https' if self._context else 'http'}://{HOST}:{self._port}"

    def start(self, port: int = 0) -> None:
        """Listen, on the same port as before if there was one."""
        self._listener = Listener(self._respond, port=port or self._port, tls=self._context)
        self._port = self._listener.port

    def kill(self) -> None:
        """Cut all connections and refuse new ones, until `start`. Armed faults are gone."""
        if self._listener is not None:
            self.faults.clear()
            self._listener.close()
            self._listener = None

    def reset(self) -> None:
        """Forget zones, health checks, calls, faults and access, for the next test or example."""
        self.faults.clear()
        self.access = Access()
        self.log.clear()
        with self.api.lock:
            self.api.zones.clear()
            self.api.health_checks.clear()
            self.api.submitted.clear()

    # Zones and records, as somebody else would see and change them

    def add_zone(
        self,
        name: str,
        *,
        zone_id: str = "",
        private: bool = False,
        records: Iterable[Json] = (),
        tags: Mapping[str, str] | None = None,
        vpcs: Iterable[tuple[str, str]] = (),
        account: str = ACCOUNT,
        comment: str = "",
    ) -> str:
        """Make a hosted zone with its NS and SOA and *records*; gives its id, bare.

        Records are in the form of boto3, values may be plain strings; VPCs are pairs of id and region.
        """
        with self.api.lock:
            zone = Zone(
                zone_id=zone_id.removeprefix("/hostedzone/") or self.api.new_id("Z"),
                name=names.normalise(name),
                account=account,
                private=private,
                comment=comment,
                vpcs=[Vpc(*vpc) for vpc in vpcs],
                tags=dict(tags or {}),
            )
            self.api.zones[zone.zone_id] = zone
            zone.load(decode(record) for record in records)
        return zone.zone_id

    def remove_zone(self, zone_id: str) -> None:
        """Remove a hosted zone with all that is in it."""
        with self.api.lock:
            del self.api.zones[zone_id]

    def put(self, zone_id: str, *records: Json) -> None:
        """Create or replace record sets, unchecked."""
        with self.api.lock:
            zone = self.api.zones[zone_id]
            for given in records:
                record = decode(given)
                zone.replace(
                    record.name,
                    {**zone.held(record.name), (record.type, record.set_identifier): record},
                    by=Author.TEST,
                )

    def delete(self, zone_id: str, name: str, kind: str, set_identifier: str = "") -> None:
        """Remove a record set, which is there."""
        with self.api.lock:
            zone = self.api.zones[zone_id]
            held = dict(zone.held(names.normalise(name)))
            del held[kind, set_identifier]
            zone.replace(names.normalise(name), held, by=Author.TEST)

    def protect(self, zone_id: str, name: str, kind: str, comment: str = "") -> None:
        """Let the API refuse whatever changes record sets of that name and type, there or not, from now on."""
        with self.api.lock:
            self.api.zones[zone_id].protections[names.normalise(name), kind] = comment

    def records(self, zone_id: str, *, name: str | None = None, own: bool = False) -> tuple[RecordSet, ...]:
        """List the record sets of a zone in order; SOA and NS of the apex, which are the service's, only if *own*.

        Names are as the service shows them; *name* may be in any form.
        """
        with self.api.lock:
            zone = self.api.zones[zone_id]
            return tuple(
                record
                for record in zone.records()
                if (own or record.name != zone.name or record.type not in {"SOA", "NS"})
                and (name is None or record.name == names.normalise(name))
            )

    def shown(self, zone_id: str, *, name: str | None = None, own: bool = False) -> list[dict[str, Any]]:
        """List the same in the form of boto3."""
        return [encode(record) for record in self.records(zone_id, name=name, own=own)]

    def edits(self, zone_id: str, *, by: Author | None = None) -> tuple[Edit, ...]:
        """List what came, went or changed since the zone was made, all or that of one author."""
        with self.api.lock:
            return tuple(edit for edit in self.api.zones[zone_id].edits if by in {None, edit.by})

    # Calls

    def _respond(self, request: Request) -> Answer:
        called = parse(request)
        account = self.accounts.get(called.access_key, ACCOUNT)
        call = Call(
            action=called.action,
            account=account,
            zone_id="" if called.action in _ZONELESS else called.subject,
            query=called.query,
        )
        if self.latency_s:
            time.sleep(self.latency_s)
        try:
            return self._answer(request, called, call)
        except ConnectionCut:
            self.log.end(call, 0, "ConnectionCut")
            raise

    def _answer(self, request: Request, called: Called, call: Call) -> Answer:
        failure, submitted = None, Submission()
        if called.action == CHANGE:
            try:
                submitted = submission(called.body)
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
        if called.action == "CreateHostedZone":
            where = {"Location": f"{self.url}/{VERSION}{fields['HostedZone']['Id']}"}
            answer = replace(answer, status=201, headers={**answer.headers, **where})
        answered = fault.after(answer)
        self.log.end(call, answered.status)
        return answered

    def _admit(self, request: Request, called: Called, call: Call) -> None:
        if not called.action:
            raise unknown(request)
        if not called.access_key:
            raise ApiError(403, "MissingAuthenticationToken", "Missing Authentication Token")
        with self.api.lock:
            if not self.buckets.admit(call.account, call.action, call.changes):
                raise throttled()
        self.access.check(call)

    def _refusal(self, call: Call, error: ApiError) -> Answer:
        headers = self._headers()
        self.log.end(call, error.status, error.code, error.message)
        body = wire.render_error(error, headers["x-amzn-RequestId"])
        return Answer(status=error.status, body=body, headers=headers)

    def _headers(self) -> dict[str, str]:
        with self.api.lock:
            return {"Content-Type": "text/xml", "x-amzn-RequestId": self.api.new_id("R")}
