"""The records that the tests make: below one random label of the zone, and removed at the end.

Every name that the tests send is below this label, so nothing else in the zone can change by its requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

import pytest
from msgspec.structs import replace

from extdns.errors import ExtdnsError, sanitize
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.record import parse_address
from extdns.model.value import format_count
from providers.webhook.wire import (
    ADJUST_PATH,
    MEDIA_TYPE,
    RECORDS_PATH,
    Changes,
    Endpoint,
    Property,
    WireError,
    decode_endpoints,
    encode_changes,
    encode_endpoints,
)
from tests.conformance.webhook.exchange import CheckedServer, RawAnswer

Identity = tuple[str, str, str]
TTL_S: Final = 300
MEDIA_TYPE_HEADERS: Final = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE}
_OWNER: Final = "extdns-check"
_MAX_CLEAN_UPS: Final = 200
_MAX_NAMED: Final = 5
_MAX_SINGLE_DELETES: Final = 100


class ViolationError(ExtdnsError):
    """The provider violates the protocol; the message says what was sent, what was expected, and what came back."""


class Scratch:
    """The names below one label, and the calls of the protocol for records at them.

    Attributes:
        server: the provider.
        zone: the zone that the names are in.
        domain: the name that all names of the tests are below.
        large_count: how many records the largest request creates.
        properties: the provider-specific properties that are expected to be stored.
        can_adjust: whether desired records are adjusted before they are applied, as in external-dns.
        has_written: whether a request to change records was sent.
        has_unanswered_change: whether one of these requests had no answer, and may still be carried out.
        others: the records that are not below the domain, as the first list had them, by identity.
    """

    def __init__(
        self, server: CheckedServer, zone: DnsName, label: str, *, large_count: int, properties: tuple[Property, ...]
    ) -> None:
        self.server = server
        self.zone = zone
        self.domain = f"{label}.{zone}"
        self.large_count = large_count
        self.properties = properties
        self.can_adjust = False
        self.has_written = False
        self.has_unanswered_change = False
        self.others: Mapping[Identity, Endpoint] = {}

    def build(self, labels: str, rtype: str, *targets: str, ttl_s: int = TTL_S) -> Endpoint:
        """Return a desired record at the name *labels* below the domain, with an owner and a resource as its labels."""
        return Endpoint(
            dns_name=f"{labels}.{self.domain}",
            targets=targets,
            record_type=rtype,
            record_ttl=ttl_s,
            labels={"owner": _OWNER, "resource": f"service/{_OWNER}/web"},
        )

    def adjust(self, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
        """Return *endpoints* as the provider adjusts them, or unchanged if `can_adjust` is not set.

        Skip the test if the provider drops one of them, which the protocol allows.
        """
        if not self.can_adjust:
            return endpoints
        found = {one.identity: one for one in self.request_adjustment(encode_endpoints(endpoints))}
        for endpoint in endpoints:
            if endpoint.identity not in found:
                pytest.skip(f"{ADJUST_PATH} returns no {describe(endpoint)}")
        return tuple(found[endpoint.identity] for endpoint in endpoints)

    def request_adjustment(self, body: bytes) -> tuple[Endpoint, ...]:
        """Send *body* to `/adjustendpoints` and return the endpoints in the answer.

        Raises:
            ViolationError: the answer is not 2xx, or no list of endpoints.
        """
        return decode(self.server.send("POST", ADJUST_PATH, body, MEDIA_TYPE_HEADERS))

    def send_changes(self, changes: Changes) -> RawAnswer:
        """Send *changes* to `/records` and return the answer, whatever it is."""
        self.has_written = True
        try:
            return self.server.send("POST", RECORDS_PATH, encode_changes(changes), {"Content-Type": MEDIA_TYPE})
        except BaseException:
            self.has_unanswered_change = True
            raise

    def apply(self, changes: Changes) -> None:
        """Send *changes* to `/records`.

        Raises:
            ViolationError: the answer is not 2xx.
        """
        answer = self.send_changes(changes)
        if not answer.is_success:
            raise ViolationError(f"{describe_changes(changes)}: {answer.describe()}")

    def create(self, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
        """Adjust *endpoints*, create them, and check that they are listed. Return the adjusted endpoints."""
        adjusted = self.adjust(*endpoints)
        self.apply(Changes(create=adjusted))
        self.expect(*adjusted)
        return adjusted

    def delete(self, *endpoints: Endpoint) -> None:
        """Delete *endpoints*, in the form in which the provider lists them now."""
        self.apply(Changes(delete=self.read(*endpoints)))

    def read(self, *endpoints: Endpoint) -> tuple[Endpoint, ...]:
        """Return *endpoints* as the provider lists them; one that is not listed is returned unchanged."""
        own = self.list_own()
        return tuple(own.get(endpoint.identity, endpoint) for endpoint in endpoints)

    def list_all(self) -> tuple[Endpoint, ...]:
        """Return all records of the provider.

        Raises:
            ViolationError: the answer is not 2xx, or no list of endpoints.
        """
        return decode(self.server.send("GET", RECORDS_PATH, headers={"Accept": MEDIA_TYPE}))

    def list_own(self) -> dict[Identity, Endpoint]:
        """Return the records below the domain. Endpoints of one identity become one with the targets of all."""
        own: dict[Identity, Endpoint] = {}
        for one in self.list_all():
            if self.is_own(one):
                before = own.get(one.identity)
                targets = (*((before.targets or ()) if before else ()), *(one.targets or ()))
                own[one.identity] = replace(one, targets=targets)
        return own

    def list_others(self) -> dict[Identity, Endpoint]:
        return {one.identity: one for one in self.list_all() if not self.is_own(one)}

    def is_own(self, endpoint: Endpoint) -> bool:
        name = endpoint.dns_name.lower().removesuffix(".")
        return name == self.domain or name.endswith(f".{self.domain}")

    def expect(self, *endpoints: Endpoint) -> None:
        """Check that *endpoints* are listed with the same targets.

        Raises:
            ViolationError: one is not listed, or has other targets.
        """
        own = self.list_own()
        for endpoint in endpoints:
            found = own.get(endpoint.identity)
            if found is None:
                raise ViolationError(f"{describe(endpoint)} was applied, but GET {RECORDS_PATH} does not list it")
            if not has_same_targets(endpoint, found):
                raise ViolationError(
                    f"{describe(endpoint)}: {_join(endpoint.targets)} was applied, but GET {RECORDS_PATH} returns "
                    f"{_join(found.targets)}"
                )

    def expect_absent(self, *endpoints: Endpoint) -> None:
        """Check that *endpoints* are not listed.

        Raises:
            ViolationError: one is listed.
        """
        own = self.list_own()
        for endpoint in endpoints:
            if endpoint.identity in own:
                raise ViolationError(f"{describe(endpoint)} was deleted, but GET {RECORDS_PATH} still lists it")

    def clean_up(self) -> str:
        """Delete all records below the domain. Return what may be left, "" if nothing is."""
        if not self.has_written:
            return ""
        before: dict[Identity, Endpoint] = {}
        for _ in range(_MAX_CLEAN_UPS):
            try:
                own = self.list_own()
                if not own:
                    late = f"a change had no answer, so records below {self.domain} may appear later"
                    return late if self.has_unanswered_change else ""
                if own == before:
                    break
                if not self.send_changes(Changes(delete=tuple(own.values()))).is_success:
                    self._delete_singly(own)
                before = own
            except ExtdnsError as exc:
                return f"records below {self.domain} may be left: {exc}"
        names = _join(describe(one) for one in islice(before.values(), _MAX_NAMED))
        return f"{format_count(len(before), 'record')} below {self.domain} could not be deleted: {names}"

    def _delete_singly(self, own: Mapping[Identity, Endpoint]) -> None:
        """Delete up to `_MAX_SINGLE_DELETES` of *own* one by one: one refused delete must not prevent the others."""
        for endpoint in islice(own.values(), _MAX_SINGLE_DELETES):
            self.send_changes(Changes(delete=(endpoint,)))


def decode(answer: RawAnswer) -> tuple[Endpoint, ...]:
    """Decode *answer*, which must contain a list of endpoints.

    Raises:
        ViolationError: the answer is not 2xx, or no list of endpoints.
    """
    if not answer.is_success:
        raise ViolationError(answer.describe())
    try:
        return decode_endpoints(answer.body)
    except WireError as exc:
        raise ViolationError(f"{answer.describe()}: no list of endpoints: {exc}") from exc


def has_same_targets(one: Endpoint, other: Endpoint) -> bool:
    """Return whether external-dns regards the targets as equal (docs/spec/plan.md 0.2)."""
    rtype = one.record_type
    return _normalize(rtype, one.targets) == _normalize(rtype, other.targets)


def _normalize(rtype: str, targets: Sequence[str] | None) -> list[str]:
    return sorted(_normalize_target(rtype, target) for target in targets or ())


def _normalize_target(rtype: str, target: str) -> str:
    if rtype == rrtype.TXT:
        return target.strip('"').lower()  # the registry reads values with and without quotes: docs/spec/plan.md 3.2.3
    address = parse_address(target)
    return str(address) if address else target.lower()


def describe(endpoint: Endpoint) -> str:
    """Return name, type and set identifier of *endpoint*, safe for a terminal."""
    identifier = f" (set identifier {endpoint.set_identifier})" if endpoint.set_identifier else ""
    return sanitize(f"{endpoint.dns_name} {endpoint.record_type}{identifier}", 300)


def describe_changes(changes: Changes) -> str:
    """Return what a request changes, as `create of web.example.org A`."""
    named = (("create", changes.create), ("update", changes.update_new), ("delete", changes.delete))
    return ", ".join(f"{verb} of {_describe_some(endpoints)}" for verb, endpoints in named if endpoints)


def _describe_some(endpoints: Sequence[Endpoint]) -> str:
    if len(endpoints) > _MAX_NAMED:
        return format_count(len(endpoints), "record")
    return ", ".join(map(describe, endpoints))


def _join(texts: Iterable[str] | None) -> str:
    return sanitize(", ".join(texts or ()), 300) or "nothing"
