"""Which record sets Azure accepts (REST API, "Record Sets - Create Or Update"), in both spellings of the fields."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.fakes.service.answers import ApiError

Json = dict[str, Any]
_HOST: Final = re.compile(r"(?=.{1,254}$)(\.|([A-Za-z0-9_*-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?)")
_NAME: Final = re.compile(r"@|(\*|[a-z0-9_*-]{1,63})(\.[a-z0-9_-]{1,63})*")
_TTLS: Final = range(1, 2**31)
_MAX_RECORDS: Final = {"TXT": 400}
_MAX_TEXT: Final = 4096


def refuse(status: int, code: str, message: str) -> ApiError:
    return ApiError(status, code, message)


def _invalid(message: str) -> ApiError:
    return refuse(400, "BadRequest", message)


def _is_ipv4(text: object) -> bool:
    return isinstance(text, str) and isinstance(_parse(text), ipaddress.IPv4Address)


def _is_ipv6(text: object) -> bool:
    return isinstance(text, str) and isinstance(_parse(text), ipaddress.IPv6Address)


def _parse(text: str) -> object:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_host(text: object) -> bool:
    return isinstance(text, str) and _HOST.fullmatch(text) is not None


def _is_16_bit(number: object) -> bool:
    return isinstance(number, int) and number in range(65_536)


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and len(one) <= 255 for one in value)


Fields = Mapping[str, Callable[[object], bool]]
_RECORDS: Final[Mapping[str, Fields]] = {
    "A": {"ipv4Address": _is_ipv4},
    "AAAA": {"ipv6Address": _is_ipv6},
    "CNAME": {"cname": _is_host},
    "MX": {"preference": _is_16_bit, "exchange": _is_host},
    "NS": {"nsdname": _is_host},
    "PTR": {"ptrdname": _is_host},
    "SRV": {"priority": _is_16_bit, "weight": _is_16_bit, "port": _is_16_bit, "target": _is_host},
    "TXT": {"value": _is_strings},
    "CAA": {"flags": _is_16_bit, "tag": bool, "value": bool},
}
PUBLIC_ONLY: Final = frozenset({"NS", "CAA"})
_ALIASED: Final = frozenset({"A", "AAAA", "CNAME"})


def spell_field(rtype: str, *, private: bool) -> str:
    """Return the field of the records of type *rtype*; private zones have lower camel case."""
    return f"{rtype.lower() if private else rtype}{'Record' if rtype in {'CNAME', 'SOA'} else 'Records'}"


def build_records(rtype: str, values: Sequence[str]) -> object:
    """Return the content of the field of a set of type *rtype* whose records have one field."""
    (field,) = _RECORDS[rtype]
    records = [{field: [value] if rtype == "TXT" else value} for value in values]
    return records[0] if rtype == "CNAME" else records


def list_values(found: Json) -> tuple[str, ...]:
    """Return the records of a set, each as one text, sorted; for an alias, "alias" and its target."""
    properties = found["properties"]
    if alias := (properties.get("targetResource") or {}).get("id"):
        return ("alias", alias)
    (records,) = (one for field, one in properties.items() if field.endswith(("Record", "Records")))
    return tuple(
        sorted(
            " ".join("".join(part) if isinstance(part, list) else str(part) for part in one.values())
            for one in (records if isinstance(records, list) else [records])
        )
    )


def build_properties(name: str, rtype: str, body: Json | None, *, private: bool) -> Json:
    if rtype not in _RECORDS or (private and rtype in PUBLIC_ONLY):
        raise _invalid(f"The resource type '{rtype}' is not supported.")
    if not _NAME.fullmatch(name) or (name.startswith("*") and rtype == "NS"):
        raise _invalid(f"The domain name '{name}' is invalid.")
    if name == "@" and rtype == "CNAME":
        raise _invalid("A CNAME record set cannot be at the apex of a zone.")
    if body is None or body.keys() - {"properties", "etag", "id", "name", "type"}:
        raise _invalid("The request content was invalid and could not be deserialized.")
    stated = dict(body.get("properties") or {})
    field, ttl = spell_field(rtype, private=private), "ttl" if private else "TTL"
    alias = stated.get("targetResource") or {}
    if unknown := stated.keys() - {ttl, field, "metadata", "targetResource"}:
        raise _invalid(f"Could not find member {sorted(unknown)} on object of type '{rtype}'.")
    if type(stated.get(ttl)) is not int or stated[ttl] not in _TTLS:
        raise _invalid(f"The TTL '{stated.get(ttl)}' is invalid.")
    metadata = stated.get("metadata") or {}
    if len(metadata) > 50 or not all(isinstance(one, str) for one in metadata.values()):
        raise _invalid("The metadata is invalid.")
    if alias.get("id"):
        if private or rtype not in _ALIASED or stated.get(field):
            raise _invalid("A record set cannot have a target resource here.")
    else:
        _check_records(rtype, stated.get(field))
    kept = {field: stated[field]} if field in stated else {} if rtype == "CNAME" else {field: []}
    return {ttl: stated[ttl], "metadata": metadata, "targetResource": alias, "provisioningState": "Succeeded", **kept}


def _check_records(rtype: str, found: Any) -> None:  # noqa: ANN401 - JSON
    records: Any = [found] if rtype == "CNAME" else found
    if not isinstance(records, list) or not records or not all(isinstance(one, dict) for one in records):
        raise _invalid(f"The record set of type '{rtype}' has no records.")
    if len(records) > _MAX_RECORDS.get(rtype, 20):
        raise _invalid(f"A record set has at most {_MAX_RECORDS.get(rtype, 20)} records.")
    if rtype == "TXT" and sum(len(text) for one in records for text in one.get("value") or ()) > _MAX_TEXT:
        raise _invalid(f"The records of a TXT record set have at most {_MAX_TEXT} characters.")
    for one in records:
        fields = _RECORDS[rtype]
        if one.keys() != fields.keys() or not all(check(one[key]) for key, check in fields.items()):
            raise _invalid(f"The record {one} of type '{rtype}' is invalid.")
