"""The fake Cloud DNS, with the methods that tests use to change zones and behaviour."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from tests.fakes.clouddns.api import Api
from tests.fakes.clouddns.errors import Refusal, build_refusal
from tests.fakes.clouddns.log import Call
from tests.fakes.clouddns.records import Json, RecordSet, decode
from tests.fakes.clouddns.requests import Called, parse
from tests.fakes.clouddns.zones import Zone
from tests.fakes.service.answers import Answer, ApiError, ConnectionCut
from tests.fakes.service.listener import Request
from tests.fakes.service.log import Log
from tests.fakes.service.server import FakeService

PROJECT: Final = "extdns-test"
TOKEN: Final = "token-of-a-test"
_TOKEN_PATH: Final = "/token"
_JSON: Final = {"Content-Type": "application/json; charset=UTF-8"}
_FIRST_NUMBER: Final = 10_001


class CloudDns(FakeService):
    """A fake Cloud DNS. The methods that change zones bypass access control, validation, faults and the log.

    Attributes:
        api: its `page_items` and `quota` can be set at any time.
        denied: the methods that IAM forbids.
        locked: whether calls require the token that `POST /token` returns.
    """

    def __init__(self, *, tls: bool = False, locked: bool = False) -> None:
        super().__init__(tls=tls)
        self.log = Log[Call]()
        self.api = Api(zones={PROJECT: {}})
        self.denied: set[str] = set()
        self.locked = locked
        self._numbers = _FIRST_NUMBER

    def add_zone(
        self,
        dns_name: str,
        *,
        name: str = "",
        number: str = "",
        private: bool = False,
        records: Iterable[Json] = (),
        project: str = PROJECT,
        **fields: Any,  # noqa: ANN401 - of the API
    ) -> str:
        """Create a managed zone with its NS, its SOA and *records*. Return its name."""
        with self.api.lock:
            self._numbers += 1
            zone = Zone(
                name=name or f"zone-{self._numbers}",
                number=number or str(self._numbers),
                dns_name=dns_name.removesuffix(".").lower() + ".",
                private=private,
                fields=fields,
            )
            zone.put(map(_decode_record, records))
            self.api.zones.setdefault(project, {})[zone.name] = zone
        return zone.name

    def reset(self) -> None:
        self.faults.clear()
        self.log.clear()
        self.denied.clear()
        with self.api.lock:
            self.api.zones = {PROJECT: {}}
            self.api.missing.clear()

    def put(self, zone: str, *records: Json) -> None:
        """Create or replace record sets. Only their format is validated."""
        with self.api.lock:
            self.api.zones[PROJECT][zone].put(map(_decode_record, records))

    def delete(self, zone: str, name: str, kind: str) -> None:
        with self.api.lock:
            del self.api.zones[PROJECT][zone].held[name, kind]

    def records(self, zone: str, *, own: bool = False) -> tuple[RecordSet, ...]:
        """Return the record sets of a zone. With *own*, include SOA and NS of the apex, made by the service."""
        with self.api.lock:
            found = self.api.zones[PROJECT][zone]
            return tuple(
                record
                for record in found.list_records()
                if own or record.name != found.dns_name or record.type not in {"SOA", "NS"}
            )

    def _respond(self, request: Request) -> Answer:
        if request.method == "POST" and request.target == _TOKEN_PATH:
            detail = {"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"}
            return Answer(status=200, body=json.dumps(detail).encode(), headers=_JSON)
        called = parse(request)
        call = Call(
            action=called.method,
            zone_id=called.zone,
            query=called.query,
            body=_read(called.body) if called.method and called.body else None,
        )
        self.log.add(call)
        fault = self.faults.take(call)
        try:
            fault.before()
            self._admit(called)
            call.answer = self.api.answer(called)
        except Refusal as exc:
            return fault.after(_answer_refusal(call, exc))
        except ApiError as exc:
            return fault.after(_answer_refusal(call, build_refusal(exc.status, exc.code, exc.message)))
        except ConnectionCut:
            call.reason = "ConnectionCut"
            raise
        call.status = 200
        return fault.after(Answer(status=200, body=json.dumps(call.answer).encode(), headers=_JSON))

    def _admit(self, called: Called) -> None:
        if not called.method:
            raise build_refusal(404, "notFound", "Not Found")
        if self.locked and called.token != TOKEN:
            words = "Request had invalid authentication credentials. Expected OAuth 2 access token."
            raise build_refusal(401, "authError", words)
        if called.method in self.denied:
            raise build_refusal(403, "forbidden", "Forbidden")


def _read(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return body


def _answer_refusal(call: Call, exc: Refusal) -> Answer:
    call.status, call.reason = exc.status, exc.complaints[0].reason
    call.answer = json.loads(exc.body)
    return Answer(status=exc.status, body=exc.body, headers=_JSON)


def _decode_record(original: Json) -> RecordSet:
    record, complaints = decode(original, "record")
    assert record is not None, complaints
    return record
