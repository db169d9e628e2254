"""The schema of the chart's values: `python -m extdns.flags.chart > charts/extdns/values.schema.json`.

What stands in values.yaml gives the shape; what becomes a flag is described by the table of flags.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from extdns.flags.flag import Flag
from extdns.flags.help import allowed, sentence
from extdns.flags.table import BY_NAME, FLAGS

Schema = dict[str, Any]

VALUES: Final = Path(__file__).parents[2] / "charts" / "extdns" / "values.yaml"
NAMED: Final[Mapping[str, str]] = {
    "annotationFilter": "annotation-filter",
    "annotationPrefix": "annotation-prefix",
    "domainFilters": "domain-filter",
    "enableGatewayListenerSets": "gateway-listener-sets",
    "excludeDomains": "exclude-domains",
    "gatewayNamespace": "gateway-namespace",
    "interval": "interval",
    "labelFilter": "label-filter",
    "logFormat": "log-format",
    "logLevel": "log-level",
    "managedRecordTypes": "managed-record-types",
    "policy": "policy",
    "registry": "registry",
    "sourceNamespace": "namespace",
    "sources": "source",
    "triggerLoopOnEvent": "events",
    "txtOwnerId": "txt-owner-id",
    "txtPrefix": "txt-prefix",
    "txtSuffix": "txt-suffix",
}
"""Values that give one flag each, by the names that external-dns's chart has for them."""

_OPEN: Final = frozenset(
    {"livenessProbe", "podSecurityContext", "readinessProbe", "resources", "securityContext", "dashboard.labels"}
)
"""Objects whose fields Kubernetes knows; what values.yaml has there is a default."""

_COUNTS_OR_SHARES: Final = frozenset({"podDisruptionBudget.minAvailable"})
"""Numbers that may also be given in percent."""

_TEMPLATE: Final = r"\{\{"
_SECRET_VARIABLES: Final = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_TYPES: Final[Mapping[type, list[str]]] = {
    bool: ["boolean"],
    int: ["integer"],
    str: ["string", "null"],
    list: ["array", "null"],
    dict: ["object", "null"],
}


def schema(values: Mapping[str, Any]) -> Schema:
    """The schema (JSON Schema draft 7) of a chart whose defaults are *values*."""
    found = _object(values, "")
    found["properties"] |= {value: _named(BY_NAME[flag]) for value, flag in NAMED.items()}
    found["properties"] |= {
        "enabled": {"description": "has no effect; for charts that depend on this one"},
        "env": _env(),
        "extraArgs": _extra_args(),
        "global": {"type": "object"},
        "provider": _provider(),
        "secretArgs": _secret_args(),
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#"} | found


def _object(values: Mapping[str, Any], path: str) -> Schema:
    fields = {name: _shape(value, f"{path}{name}") for name, value in values.items()}
    return {"type": "object", "additionalProperties": False, "properties": fields}


def _shape(value: object, path: str) -> Schema:
    if isinstance(value, dict) and value and path not in _OPEN:
        return _object(value, f"{path}.")
    return {"type": ["integer", "string"] if path in _COUNTS_OR_SHARES else _TYPES[type(value)]}


def _named(flag: Flag) -> Schema:
    """A value of its own, which may also be empty: then the flag is not given."""
    told = {"description": f"{flag.spelling}: {sentence(flag)}"}
    if flag.is_switch:
        return {"type": "boolean"} | told
    if flag.repeatable:
        return {"type": ["array", "null"], "items": _one(flag, ())} | told
    return _one(flag, ("", None)) | told


def _one(flag: Flag, empty: tuple[object, ...]) -> Schema:
    if choices := allowed(flag):
        return {"enum": [*choices, *empty]}
    types = ["string", "integer", *(["null"] if empty else [])]
    pattern = f"^({flag.kind.pattern}{'|' if empty else ''})$"
    return {"type": types} | ({"pattern": pattern} if flag.kind.pattern else {})


def _argument(flag: Flag) -> Schema:
    """A value under `extraArgs`: a template may stand for any but that of a switch."""
    told = {"description": sentence(flag)}
    if flag.is_switch:
        return {"type": ["boolean", "null"]} | told
    pattern = "|".join(allowed(flag)) or flag.kind.pattern
    one: Schema = {"type": ["string", "integer"]} | ({"pattern": f"^({pattern})$|{_TEMPLATE}"} if pattern else {})
    many = {"items": one, "type": ["array", *one["type"]]} if flag.repeatable else {}
    return one | many | told


def _extra_args() -> Schema:
    arguments = {flag.name: _argument(flag) for flag in FLAGS if flag.environment and not flag.secret}
    secret = "|".join(flag.name for flag in FLAGS if flag.secret)
    item = {"type": "string", "not": {"pattern": f"^--({secret})(=|$)"}}
    return {"type": ["object", "array", "null"], "properties": arguments, "additionalProperties": False, "items": item}


def _secret_args() -> Schema:
    fields = {"name": {"type": "string"}, "key": {"type": "string"}, "optional": {"type": "boolean"}}
    ref = {"type": "object", "required": ["name", "key"], "additionalProperties": False, "properties": fields}
    flags = {flag.name: ref | {"description": sentence(flag)} for flag in FLAGS if flag.secret}
    return {"type": ["object", "null"], "properties": flags, "additionalProperties": False}


def _env() -> Schema:
    variables = [*_SECRET_VARIABLES, *(flag.variable for flag in FLAGS if flag.secret)]
    by_reference = {"if": {"properties": {"name": {"enum": variables}}}, "then": {"required": ["valueFrom"]}}
    return {"type": ["array", "null"], "items": {"type": "object", "required": ["name"]} | by_reference}


def _provider() -> Schema:
    name = {"enum": list(allowed(BY_NAME["provider"]))}
    fields = {"type": ["object", "string"], "properties": {"name": name}, "additionalProperties": False}
    return fields | {"required": ["name"], "if": {"type": "string"}, "then": name}


if __name__ == "__main__":
    made = schema(yaml.safe_load(VALUES.read_text(encoding="utf-8")))
    sys.stdout.write(f"{json.dumps(made, indent=2, ensure_ascii=False)}\n")
