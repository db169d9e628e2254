"""Adjust desired records for servers without routing policies and aliases, to the form in which they are read back.

A record that a DNS server would reject is refused, too. By default (`check-names`), BIND rejects a record, and the
whole zone file with it, if the owner name of an address record, or a host in record data, is not a host name (RFC 1123
section 2.1).
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from extdns.errors import InvalidValueError, shorten
from extdns.model import rrtype
from extdns.model.change import Refusal
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, canonicalize_targets, parse_address
from extdns.model.validation import is_host_name
from extdns.model.value import EMPTY_MAP
from extdns.model.zone import Zone, find_placement_problem
from providers.common import rdata
from providers.common.refusals import refuse

SUPPORTED_TYPES: Final = frozenset(rrtype.OWNABLE)
_TYPES_OF_HOSTS: Final = rrtype.ADDRESSES | {rrtype.MX}
_TYPES_WITH_HOST: Final = frozenset({rrtype.NS, rrtype.MX, rrtype.SRV})
_SINGLE_VALUE_TYPES: Final = frozenset({rrtype.CNAME, rrtype.DNAME})
_REVERSE_ZONES: Final = ("in-addr.arpa", "ip6.arpa")


def adjust_record(
    desired: DesiredRecord, zone: Zone, *, holders: str = "zone files", flattens_apex: bool = False
) -> DesiredRecord | Refusal:
    """Return *desired* in the form in which *zone* will hold it, or why it cannot.

    Messages say that *holders* hold the records. With *flattens_apex*, a CNAME at the name of a zone is answered with
    the addresses of its target.
    """
    detail = _find_problem(desired, zone, holders, flattens_apex=flattens_apex)
    if detail:
        return refuse(desired, detail)
    try:
        targets = [_normalize_target(desired, target) for target in desired.targets]
    except InvalidValueError as exc:
        return Refusal(desired=desired, reason=Reason.INVALID_TARGET, detail=str(exc))
    found = canonicalize_targets(desired.type, targets)
    if found == desired.targets and not desired.properties:
        return desired
    return replace(desired, targets=found, properties=EMPTY_MAP)


def _find_problem(desired: DesiredRecord, zone: Zone, holders: str, *, flattens_apex: bool) -> str:
    name, rtype = desired.name, desired.type
    if rtype not in SUPPORTED_TYPES:
        return f"{rtype} is not among the types written to {holders}: {', '.join(rrtype.OWNABLE)}"
    if desired.set_identifier:
        return f"{holders} have no routing policies; {desired.set_identifier!r} is a set identifier"
    if desired.is_alias and not all(parse_address(target) for target in desired.targets):
        return f"{holders} have no aliases; {rtype} needs addresses, a name needs CNAME"
    if problem := find_placement_problem(desired, zone, flattens_apex=flattens_apex):
        return problem
    if rtype in _SINGLE_VALUE_TYPES and len(desired.targets) > 1:
        return f"a {rtype} can have only one target, not {len(desired.targets)}: {shorten(', '.join(desired.targets))}"
    if rtype in _TYPES_OF_HOSTS and not is_host_name(name):
        return f"{name} is not a host name (letters, digits, hyphens); BIND rejects such an {rtype}"
    return ""


def _normalize_target(desired: DesiredRecord, target: str) -> str:
    rtype = desired.type
    normalized = rdata.normalize_target(rtype, target)
    if rtype in _TYPES_WITH_HOST or (rtype == rrtype.PTR and any(desired.name.within(tree) for tree in _REVERSE_ZONES)):
        host = normalized.rpartition(" ")[2].removesuffix(".")
        if host and not is_host_name(host.lower()):
            raise InvalidValueError(
                target, f"{rtype} data whose host has letters, digits and hyphens", Reason.INVALID_TARGET
            )
    return normalized
