"""Convert between records of octoDNS and ours (docs/design/octodns.md, "Reading" and "TXT")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from octodns.record import Record as OctodnsRecord
from octodns.record.exception import ValidationError
from octodns.record.rr import Rrset
from octodns.zone import Zone as OctodnsZone

from extdns.errors import InvalidValueError, sanitize
from extdns.model import rrtype
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.record import DesiredRecord, Record, canonicalize_targets
from providers.common import rdata, scan

_PORTABLE_TEXT: Final = re.compile(r'"[ !#-\[\]-~]*"')
_LENIENT: Final = "lenient"


def find_text_problem(targets: tuple[str, ...]) -> str:
    """Return why some packages of octoDNS would change the TXT values *targets*; "" if all keep them unchanged."""
    if all(_PORTABLE_TEXT.fullmatch(target) for target in targets):
        return ""
    return "octoDNS keeps only texts of printable ASCII in one string, without quotes and backslashes"


def build_octodns_record(zone: OctodnsZone, record: Record | DesiredRecord, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - octoDNS has no types
    """Return *record*, whose data is valid for its type, as octoDNS holds it in *zone*, validated.

    *options* are those of the current record, such as whether a service proxies it; `lenient` is left out.

    Raises:
        InvalidValueError: octoDNS finds the record invalid.
    """
    values = [rdata.format_data(record.type, target) for target in record.targets]
    try:
        found = OctodnsRecord.from_rrset(zone, Rrset(rdata.format_name(record.name), record.type, record.ttl_s, values))
    except Exception as exc:  # its parsers can raise anything
        reasons = "; ".join(map(str, exc.reasons)) if isinstance(exc, ValidationError) else str(exc)
        allowed = f"{record.type} data that octoDNS accepts: {sanitize(reasons)}"
        raise InvalidValueError(", ".join(record.targets), allowed, Reason.INVALID_TARGET) from exc
    found.octodns = {key: deepcopy(value) for key, value in options.items() if key != _LENIENT}
    return found


def convert_record(found: Any) -> Record | None:  # noqa: ANN401 - octoDNS has no types
    """Return the record that octoDNS read; None if no object can request its name.

    Data that cannot be read gives a record of the type `UNREADABLE`. Types that are not of DNS are kept as they are.
    """
    name = _convert_name(str(found.fqdn))
    if name is None:
        return None
    rtype = str(found._type)  # noqa: SLF001 - octoDNS has no other name for it
    try:
        targets = convert_targets(found)
    except Exception as exc:  # noqa: BLE001 - octoDNS's classes can raise anything for data they did not validate
        problem = f"{rtype}: {sanitize(str(exc))}"
        return Record(name=name, type=f"{rrtype.UNREADABLE}{rtype}", targets=(problem,), ttl_s=found.ttl)
    return Record(name=name, type=rtype, targets=targets, ttl_s=found.ttl)


def convert_targets(found: Any) -> tuple[str, ...]:  # noqa: ANN401 - octoDNS has no types
    """Return the canonical targets of a record of octoDNS.

    Raises:
        InvalidValueError: a value is not valid for its type, or the values depend on who asks (`dynamic`, `geo`).
    """
    rtype = str(found._type)  # noqa: SLF001 - octoDNS has no other name for it
    if getattr(found, "dynamic", None) or getattr(found, "geo", None):
        raise InvalidValueError(
            rtype, "values that are the same for every query, without dynamic and geo", Reason.UNSUPPORTED
        )
    values = found.to_rrset().rdatas
    if rdata.find_type(rtype) is None:
        return tuple(sorted(sanitize(str(value)) for value in values))
    return canonicalize_targets(rtype, (_convert_value(rtype, value) for value in values))


def _convert_value(rtype: str, value: str) -> str:
    words = scan.split_words(value)
    if not words:
        raise InvalidValueError(value, f"{rtype} data", Reason.INVALID_TARGET)
    return rdata.parse_target(rtype, words, rdata.ROOT)


def _convert_name(fqdn: str) -> DnsName | None:
    try:
        return rdata.to_dns_name(fqdn)
    except Exception:  # noqa: BLE001 - dnspython's parser can raise anything
        return None
