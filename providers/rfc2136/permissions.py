"""Check whether a server takes updates of a zone, without changing it."""

from __future__ import annotations

from typing import Final

import dns.name
import dns.rcode
import dns.update

from extdns.model.zone import Permission, Zone
from providers.common import rdata
from providers.common.api_calls import CallFailedError, FailureKind
from providers.rfc2136.client import FORBIDDING, DnsClient
from providers.rfc2136.settings import Rfc2136Settings

_LABEL: Final = "extdns-check"
_REMEDY: Final = "let the key update {} (BIND: update-policy or allow-update; Knot: action: update)"
_REACH: Final = "check host, port and firewall for TCP: --rfc2136-host, --rfc2136-port"
_COMPARE: Final = "compare name, algorithm and secret of the key"


def check_permission(settings: Rfc2136Settings, zone: Zone) -> Permission:
    """Check whether *zone* may be updated, by updates that change nothing because their prerequisite never holds."""
    client = DnsClient(settings)
    try:
        rcode = client.send_update(_build_test_update(zone, with_record=True))
        accepts_others = rcode in FORBIDDING and client.send_update(_build_test_update(zone)) == dns.rcode.YXRRSET
    except CallFailedError as failed:
        forbidden = failed.kind in {FailureKind.FORBIDDEN, FailureKind.CREDENTIALS}
        remedy = _COMPARE if forbidden and settings.key else _REACH if _is_unreachable(failed) else ""
        return Permission(granted=False if forbidden else None, detail=str(failed), remedy=remedy)
    answer = dns.rcode.to_text(rcode)
    if rcode == dns.rcode.YXRRSET:
        return Permission(granted=True, detail="the server takes updates (tested with one that changes nothing)")
    if rcode == dns.rcode.NOERROR:
        detail = "the server ignores prerequisites, so it would overwrite the edits of others"
        return Permission(granted=False, detail=detail, remedy="use a server with RFC 2136 section 3.2")
    if accepts_others:
        detail = f"the server takes updates, but answers {answer} for TXT at {_LABEL}.{zone.name}"
        return Permission(granted=None, detail=detail, remedy=_REMEDY.format("all names and types that extdns manages"))
    if rcode in FORBIDDING:
        remedy = _REMEDY.format("the zone")
        if rcode == dns.rcode.NOTAUTH:  # that is also the answer about a zone that the server does not have
            remedy += "; if the server has no such zone, correct --rfc2136-zone"
        return Permission(granted=False, detail=f"the server answers {answer}", remedy=remedy)
    return Permission(granted=None, detail=f"the server answers {answer}")


def _is_unreachable(failed: CallFailedError) -> bool:
    cause = failed.__cause__  # of the last server
    return isinstance(cause, CallFailedError) and isinstance(cause.__cause__, OSError)


def _build_test_update(zone: Zone, *, with_record: bool = False) -> dns.update.UpdateMessage:
    """Return an update that requires that *zone* has no SOA, so that it never takes effect.

    *with_record* adds a record to delete, so that the server also checks which names and types the key may change.
    """
    apex = rdata.build_name(zone.name)
    message = dns.update.UpdateMessage(apex)
    message.absent(apex, "SOA")
    if with_record:
        message.delete(dns.name.Name((_LABEL.encode(), *apex.labels)), rdata.build_rdata("TXT", f'"{_LABEL}"'))
    return message
