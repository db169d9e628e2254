"""The schema of the Helm chart's values: `python -m extdns.flags.chart_schema > charts/extdns/values.schema.json`.

The structure is that of values.yaml; values that become flags are described by the table of flags.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from extdns.flags.flag import Flag
from extdns.flags.help import describe_flag, list_allowed
from extdns.flags.table import BY_NAME, FLAGS

Schema = dict[str, Any]

VALUES: Final = Path(__file__).parents[2] / "charts" / "extdns" / "values.yaml"
FLAG_BY_VALUE: Final[Mapping[str, str]] = {
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
"""The flag that a value of the chart sets, by the name of the value, which is that in external-dns's chart."""

_FREE_FORM: Final = frozenset(
    {"livenessProbe", "podSecurityContext", "readinessProbe", "resources", "securityContext", "dashboard.labels"}
)
"""Values that are Kubernetes objects. The schema allows any field in them; values.yaml has only their defaults."""

_COUNTS_OR_SHARES: Final = frozenset({"podDisruptionBudget.minAvailable"})
"""Values that are a number or a percentage."""

_TEMPLATE: Final = r"\{\{"
_SECRET_VARIABLES: Final = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_TYPES: Final[Mapping[type, list[str]]] = {
    bool: ["boolean"],
    int: ["integer"],
    str: ["string", "null"],
    list: ["array", "null"],
    dict: ["object", "null"],
}


def build_schema(values: Mapping[str, Any]) -> Schema:
    """Build the schema (JSON Schema draft 7) of the values of the Helm chart, whose defaults are *values*."""
    found = _describe_object(values, "")
    found["properties"] |= {value: _describe_named(BY_NAME[flag]) for value, flag in FLAG_BY_VALUE.items()}
    found["properties"] |= {
        "enabled": {"description": "has no effect; for charts that depend on this one"},
        "env": _describe_env(),
        "extraArgs": _describe_extra_args(),
        "global": {"type": "object"},
        "provider": _describe_provider(),
        "secretArgs": _describe_secret_args(),
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#"} | found


def _describe_object(values: Mapping[str, Any], path: str) -> Schema:
    fields = {name: _describe_value(value, f"{path}{name}") for name, value in values.items()}
    return {"type": "object", "additionalProperties": False, "properties": fields}


def _describe_value(value: object, path: str) -> Schema:
    if isinstance(value, dict) and value and path not in _FREE_FORM:
        return _describe_object(value, f"{path}.")
    return {"type": ["integer", "string"] if path in _COUNTS_OR_SHARES else _TYPES[type(value)]}


def _describe_named(flag: Flag) -> Schema:
    """Describe a value of the chart that sets *flag*. It may be empty, which means that the flag is not set."""
    description = {"description": f"{flag.spelling}: {describe_flag(flag)}"}
    if flag.is_switch:
        return {"type": "boolean"} | description
    if flag.repeatable:
        return {"type": ["array", "null"], "items": _describe_single(flag, ())} | description
    return _describe_single(flag, ("", None)) | description


def _describe_single(flag: Flag, empty: tuple[object, ...]) -> Schema:
    if choices := list_allowed(flag):
        return {"enum": [*choices, *empty]}
    types = ["string", "integer", *(["null"] if empty else [])]
    pattern = f"^({flag.kind.pattern}{'|' if empty else ''})$"
    return {"type": types} | ({"pattern": pattern} if flag.kind.pattern else {})


def _describe_argument(flag: Flag) -> Schema:
    """Describe the value of *flag* under `extraArgs`. Unless the flag is a switch, it may be a Helm template."""
    description = {"description": describe_flag(flag)}
    if flag.is_switch:
        return {"type": ["boolean", "null"]} | description
    pattern = "|".join(list_allowed(flag)) or flag.kind.pattern
    one: Schema = {"type": ["string", "integer"]} | ({"pattern": f"^({pattern})$|{_TEMPLATE}"} if pattern else {})
    many = {"items": one, "type": ["array", *one["type"]]} if flag.repeatable else {}
    return one | many | description


def _describe_extra_args() -> Schema:
    arguments = {flag.name: _describe_argument(flag) for flag in FLAGS if flag.environment and not flag.secret}
    secret = "|".join(flag.name for flag in FLAGS if flag.secret)
    item = {"type": "string", "not": {"pattern": f"^--({secret})(=|$)"}}
    return {"type": ["object", "array", "null"], "properties": arguments, "additionalProperties": False, "items": item}


def _describe_secret_args() -> Schema:
    fields = {"name": {"type": "string"}, "key": {"type": "string"}, "optional": {"type": "boolean"}}
    ref = {"type": "object", "required": ["name", "key"], "additionalProperties": False, "properties": fields}
    flags = {flag.name: ref | {"description": describe_flag(flag)} for flag in FLAGS if flag.secret}
    return {"type": ["object", "null"], "properties": flags, "additionalProperties": False}


def _describe_env() -> Schema:
    variables = [*_SECRET_VARIABLES, *(flag.variable for flag in FLAGS if flag.secret)]
    by_reference = {"if": {"properties": {"name": {"enum": variables}}}, "then": {"required": ["valueFrom"]}}
    return {"type": ["array", "null"], "items": {"type": "object", "required": ["name"]} | by_reference}


def _describe_provider() -> Schema:
    name = {"enum": list(list_allowed(BY_NAME["provider"]))}
    fields = {"type": ["object", "string"], "properties": {"name": name}, "additionalProperties": False}
    return fields | {"required": ["name"], "if": {"type": "string"}, "then": name}


if __name__ == "__main__":
    made = build_schema(yaml.safe_load(VALUES.read_text(encoding="utf-8")))
    sys.stdout.write(f"{json.dumps(made, indent=2, ensure_ascii=False)}\n")
