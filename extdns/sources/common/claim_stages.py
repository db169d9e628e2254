"""Process the resolved claims of every source in stages (docs/spec/sources.md 0.2, 1.6, 8).

The stages run in this order: default targets, validation, NAT64 addresses, target networks, warnings.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, UsageError, describe_invalid_value, sanitize
from extdns.model import rrtype
from extdns.model.claim import (
    Claim,
    ClaimWarning,
    Derivation,
    ExcludedClaim,
    ResolvedClaim,
    UnresolvedClaim,
)
from extdns.model.reason import Reason
from extdns.model.record import (
    RECORD_TYPE,
    Address,
    DesiredRecord,
    is_honoured,
    parse_address,
    parse_target,
)
from extdns.model.validation import (
    MAX_TARGETS,
    TARGETS_ALLOWED,
    RecordProblem,
    describe_allowed,
    find_owner_problem,
    find_target_problem,
    validate_record,
)
from extdns.model.value import StringMap, Value
from extdns.sources.common.annotations import MAX_OBJECT_TARGETS

# A stage returns the claim itself, claims that replace it, or both the claim and claims derived from it.
ClaimStage = Callable[[ResolvedClaim], tuple[Claim, ...]]


def limit_targets(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Return *claims* of one object; without targets if they have more than `MAX_OBJECT_TARGETS` in total.

    Each of many hostnames may have the same many targets, so that validation and rules take a time that grows with the
    square of the size of the object.
    """
    if len(claims) * MAX_TARGETS <= MAX_OBJECT_TARGETS:
        return claims  # a claim with more than its share is invalid by itself
    count = sum(len(claim.desired.targets) for claim in claims if isinstance(claim, ResolvedClaim))
    if count <= MAX_OBJECT_TARGETS:
        return claims
    value, allowed = f"{count} targets in all records of the object", f"at most {MAX_OBJECT_TARGETS} targets"
    detail = describe_invalid_value(value, allowed)
    return tuple(
        _build_unresolved_claim(claim, Reason.INVALID_ENDPOINT, detail) if isinstance(claim, ResolvedClaim) else claim
        for claim in claims
    )


def validate_claim(claim: ResolvedClaim, *, lenient: bool = False) -> tuple[ResolvedClaim | UnresolvedClaim]:
    """Return *claim*, or an unresolved claim in its place if its record is not valid (docs/spec/sources.md 1.6).

    A record is also rejected if it has no target, or if ownership records do not support its type. *lenient*: see
    `validate_record`.
    """
    field = claim.provenance.field
    problem = validate_record(claim.desired, lenient=lenient) or _find_type_problem(claim.desired)
    if problem is not None:
        place = "target" if problem.reason is Reason.INVALID_TARGET else f"{field}:"
        detail = f"{place} {describe_invalid_value(problem.value, problem.allowed)}"
        return (_build_unresolved_claim(claim, problem.reason, detail),)
    if not claim.desired.targets:
        detail = f"{field} has no target; allowed: at least one, there or by --default-targets"
        return (_build_unresolved_claim(claim, Reason.UNSUPPORTED, detail),)
    return (claim,)


def _find_type_problem(endpoint: DesiredRecord) -> RecordProblem | None:
    if endpoint.type in rrtype.OWNABLE:
        return None
    return RecordProblem(value=endpoint.type, allowed=f"the record types {', '.join(rrtype.OWNABLE)}")


def _build_unresolved_claim(claim: ResolvedClaim, reason: Reason, detail: str) -> UnresolvedClaim:
    return UnresolvedClaim(
        name=claim.name,
        set_identifier=claim.set_identifier,
        provenance=claim.provenance,
        reason=reason,
        detail=detail,
        # what should be an address looks like a CNAME, so a record of any type may be meant
        type="" if reason is Reason.INVALID_TARGET and claim.desired.type == rrtype.CNAME else claim.desired.type,
    )


TargetGroups = tuple[tuple[str, tuple[str, ...]], ...]


def parse_default_targets(texts: Iterable[str], *, lenient: bool = False) -> TargetGroups:
    """Parse `--default-targets`. Return each record type with its canonical, sorted targets.

    *lenient*: see `extdns.model.validation`.
    """
    groups: dict[str, set[str]] = {}
    for text in texts:
        rtype, target, allowed = "", "", ""
        try:
            rtype, target = parse_target(text)
        except InvalidValueError:
            allowed = describe_allowed(text, TARGETS_ALLOWED)
        if rtype == rrtype.CNAME and not lenient:
            allowed = find_target_problem(rtype, target)
        if allowed:
            raise UsageError(f"--default-targets={sanitize(text)} is not a target\n  allowed: {allowed}")
        groups.setdefault(rtype, set()).add(target)
    return tuple((rtype, tuple(sorted(groups[rtype]))) for rtype in sorted(groups))


class DefaultTargetsStage(Value, frozen=True, kw_only=True):
    """Give default targets to records without targets.

    Attributes:
        groups: targets by record type, as `parse_default_targets` returns them; at least one.
        force: replace the targets and type of every record, even if it has targets.
    """

    groups: TargetGroups
    force: bool = False

    def __call__(self, claim: ResolvedClaim) -> tuple[ResolvedClaim, ...]:
        """Return *claim* if it has targets and *force* is not set, else copies of it with the default targets.

        There is one copy for each record type of the default targets.
        """
        if claim.desired.targets and not self.force:
            return (claim,)
        return tuple(
            replace(claim, desired=replace(claim.desired, type=rtype, targets=targets))
            for rtype, targets in self.groups
        )


_PREFIX_BITS: Final = 96
_IPV4_MASK: Final = 0xFFFFFFFF


def parse_nat64_networks(texts: Iterable[str]) -> tuple[ipaddress.IPv6Network, ...]:
    """Parse `--nat64-networks`: IPv6 networks of 96 bits. Bits after the prefix are ignored."""
    return tuple(_parse_nat64_network(text) for text in texts)


def _parse_nat64_network(text: str) -> ipaddress.IPv6Network:
    try:
        network = ipaddress.IPv6Network(text, strict=False)
    except ValueError:
        network = None
    if network is None or network.prefixlen != _PREFIX_BITS:
        raise UsageError(
            f"--nat64-networks={sanitize(text)} is not a NAT64 network\n"
            "  allowed: an IPv6 network of 96 bits, such as 64:ff9b::/96"
        )
    return network


class Nat64Stage(Value, frozen=True, kw_only=True):
    """Add an A record for AAAA targets that embed an IPv4 address in one of *networks*."""

    networks: tuple[ipaddress.IPv6Network, ...]

    def __call__(self, claim: ResolvedClaim) -> tuple[Claim, ...]:
        """Return *claim*; if it has AAAA targets that embed IPv4 addresses, also return an A claim with these."""
        endpoint = claim.desired
        if endpoint.type != rrtype.AAAA:
            return (claim,)
        embedded = tuple(sorted(set(self._extract_addresses(endpoint.targets))))
        if not embedded:
            return (claim,)
        provenance = replace(claim.provenance, derivation=Derivation.NAT64)
        return claim, replace(claim, desired=replace(endpoint, type=rrtype.A, targets=embedded), provenance=provenance)

    def _extract_addresses(self, targets: Iterable[str]) -> Iterator[str]:
        for target in targets:
            parsed = parse_address(target)
            if isinstance(parsed, ipaddress.IPv6Address) and any(parsed in network for network in self.networks):
                yield str(ipaddress.IPv4Address(int(parsed) & _IPV4_MASK))


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_target_networks(texts: Iterable[str]) -> tuple[tuple[Network, ...], tuple[str, ...]]:
    """Parse `--target-net-filter` or `--exclude-target-net`. Return the networks and the invalid texts.

    The caller warns about invalid texts and ignores them. An address without prefix length is invalid.
    Bits after the prefix are ignored.
    """
    read = [(text, _parse_network(text)) for text in texts]
    return tuple(net for _, net in read if net is not None), tuple(text for text, net in read if net is None)


def _parse_network(text: str) -> Network | None:
    bits = text.strip().partition("/")[2]
    try:
        return ipaddress.ip_network(text.strip(), strict=False) if bits.isascii() and bits.isdigit() else None
    except ValueError:
        return None


class TargetNetworkStage(Value, frozen=True, kw_only=True):
    """Remove targets that are in no network of *include* or in one of *exclude*; an empty *include* is every network.

    Host names are in no network, so they are kept only if *include* is empty.
    """

    include: tuple[Network, ...] = ()
    exclude: tuple[Network, ...] = ()

    def __call__(self, claim: ResolvedClaim) -> tuple[Claim, ...]:
        """Return *claim* with the allowed targets, or an excluded claim if none is allowed."""
        if not (self.include or self.exclude):
            return (claim,)
        endpoint = claim.desired
        targets = tuple(target for target in endpoint.targets if self._allows(target))
        if not targets:
            by = "--target-net-filter" if self.include else "--exclude-target-net"
            return (ExcludedClaim(ref=claim.provenance.ref, excluded_by=by, name=endpoint.name),)
        if len(targets) == len(endpoint.targets):
            return (claim,)
        return (replace(claim, desired=replace(endpoint, targets=targets)),)

    def _allows(self, target: str) -> bool:
        parsed = parse_address(target)
        if parsed is None:
            return not self.include
        ip = parsed.ipv4_mapped or parsed if parsed.version == 6 else parsed  # noqa: PLR2004 - the IP version
        return (not self.include or _is_within(ip, self.include)) and not _is_within(ip, self.exclude)


def _is_within(ip: Address, networks: Iterable[Network]) -> bool:
    return any(ip in net for net in networks)


def warn_about_record_type(claim: ResolvedClaim) -> tuple[ResolvedClaim]:
    """Return *claim*, with a warning if it has the property `record-type`, but can have no PTR record.

    The PTR claims themselves are derived after claims are merged (docs/design/architecture.md, "PTR claims").
    """
    endpoint = claim.desired
    if not endpoint.properties.has(RECORD_TYPE) or (
        endpoint.type in rrtype.ADDRESSES and not endpoint.name.is_wildcard
    ):
        return (claim,)
    group = _build_record_type_warning(endpoint.properties.get(RECORD_TYPE))
    return (replace(claim, warning_groups=(*claim.warning_groups, group)),)


@lru_cache(maxsize=16)
def _build_record_type_warning(value: str) -> tuple[ClaimWarning]:
    allowed = "nothing: only A and AAAA records without wildcard get a PTR"
    field = f"annotation {RECORD_TYPE}"
    return (ClaimWarning(reason=Reason.INVALID_ANNOTATION, field=field, value=value, allowed=allowed),)


_WITH_HOSTS: Final = rrtype.HOSTS | {rrtype.MX, rrtype.SRV}
_CLUSTER_DOMAIN: Final = ".cluster.local"


class WarningStage(Value, frozen=True, kw_only=True):
    """Warn about what the DNS service does not do as the object states it. The record is published all the same.

    Attributes:
        properties: the properties that the provider honours, as `is_honoured` takes them.
        find_allowed: returns what a property, by its key, may be if a value has no effect; "" if the value has one.
        lenient: see `extdns.model.validation`; any name is created.
    """

    provider: str
    properties: tuple[str, ...] = ()
    find_allowed: Callable[[str, str], str] = lambda *_: ""
    lenient: bool = False

    def __call__(self, claim: ResolvedClaim) -> tuple[ResolvedClaim]:
        """Return *claim* with its warnings: ignored properties, targets of the cluster, names that are not hosts."""
        ignored = _find_ignored_properties(self, claim.desired.properties) if claim.desired.properties else ()
        found = tuple(filter(None, (ignored, tuple(self._find_warnings(claim)))))
        return (replace(claim, warning_groups=(*claim.warning_groups, *found)) if found else claim,)

    def find_ignored_properties(self, properties: StringMap) -> Iterator[ClaimWarning]:
        """Yield a warning for each of *properties* that has no effect."""
        for key, value in properties:
            is_known = is_honoured(key, self.properties)
            if allowed := self.find_allowed(key, value) if is_known else self._allowed:
                # only an annotation that sets a property of its own name has a domain in front
                where = "annotation" if "." in key.partition("/")[0] else "property"
                yield ClaimWarning(reason=Reason.PROPERTY_IGNORED, field=f"{where} {key}", value=value, allowed=allowed)

    def _find_warnings(self, claim: ResolvedClaim) -> Iterator[ClaimWarning]:
        record, field = claim.desired, claim.provenance.field
        if record.type in _WITH_HOSTS or record.is_alias:
            for target in record.targets:
                if target.rstrip(".").endswith(_CLUSTER_DOMAIN):
                    allowed = "a name that the clients of the zone can resolve"
                    yield ClaimWarning(reason=Reason.CLUSTER_TARGET, field=field, value=target, allowed=allowed)
        if record.type in rrtype.ADDRESSES and not self.lenient and (problem := find_owner_problem(record)):
            yield ClaimWarning(reason=Reason.NOT_A_HOST_NAME, field=field, value=problem.value, allowed=problem.allowed)

    @property
    def _allowed(self) -> str:
        known = ", ".join(f"{one}…" if one.endswith("/") else one.removeprefix("/") for one in self.properties)
        return f"with --provider={self.provider}: {known or 'no property'}"


@lru_cache(maxsize=16)  # all claims of an object share the result
def _find_ignored_properties(stage: WarningStage, properties: StringMap) -> tuple[ClaimWarning, ...]:
    return tuple(stage.find_ignored_properties(properties))
