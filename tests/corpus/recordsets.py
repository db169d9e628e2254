"""Record sets with the field names of Route 53, in normalized form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from extdns.model.record import canonicalize_targets

RecordSet = Mapping[str, Any]

_OCTAL: Final = re.compile(r"\\([0-3][0-7][0-7])")


def normalize_record_sets(sets: Iterable[RecordSet]) -> list[RecordSet]:
    """Return *sets* normalized and sorted, so that equal zones give equal lists."""
    return sorted(map(_normalize, sets), key=lambda found: json.dumps(found, sort_keys=True))


def _normalize(found: RecordSet) -> RecordSet:
    """Normalize a record set: unescape names, canonicalize and sort values, make numbers text, drop None fields."""
    made: dict[str, Any] = {name: _text(value) for name, value in found.items() if value is not None}
    made["Name"] = _name(found["Name"])
    if alias := found.get("AliasTarget"):
        made["AliasTarget"] = {**_text(alias), "DNSName": _name(alias["DNSName"])}
    if records := found.get("ResourceRecords"):
        values = [record["Value"] if isinstance(record, Mapping) else record for record in records]
        made["ResourceRecords"] = list(canonicalize_targets(found["Type"], values))
    return made


def _text(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, Mapping):
        return {name: _text(inner) for name, inner in value.items()}
    return str(value) if isinstance(value, int) else value


def _name(text: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text).rstrip(".").lower() + "."
