"""The schema of the Helm chart's values: `python -m extdns.flags.chart_schema > charts/extdns/values.schema.json`.

The structure and the descriptions are those of values.yaml; values that become flags are described by the table of
flags. The schema checks the type and form of each value. What cannot be refused without an explanation is refused by
the templates of the chart (docs/design/chart.md, "What is refused").
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from extdns.flags.chart_values import read_defaults, read_descriptions
from extdns.flags.flag import Flag
from extdns.flags.help import describe_flag, list_allowed
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.validation import AVAILABLE

Schema = dict[str, Any]

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

FREE_FORM: Final = frozenset(
    {
        *("livenessProbe", "podSecurityContext", "readinessProbe", "resources", "securityContext", "dashboard.labels"),
        *("provider.webhook.livenessProbe", "provider.webhook.readinessProbe"),
    }
)
"""Values that are Kubernetes objects. The schema allows any field in them; values.yaml has only their defaults."""

_ENUMS: Final[Mapping[str, tuple[str, ...]]] = {
    "dnsPolicy": ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "image.pullPolicy": ("Always", "IfNotPresent", "Never"),
    "service.ipFamilyPolicy": ("SingleStack", "PreferDualStack", "RequireDualStack"),
    "opa.image.pullPolicy": ("Always", "IfNotPresent", "Never"),
    "opa.kubeMgmt.image.pullPolicy": ("Always", "IfNotPresent", "Never"),
    "provider.webhook.image.pullPolicy": ("Always", "IfNotPresent", "Never"),
    "provider.webhook.serviceMonitor.scheme": ("http", "https", "HTTP", "HTTPS"),
    "serviceMonitor.scheme": ("http", "https", "HTTP", "HTTPS"),
}
_STRATEGIES: Final = ("Recreate", "RollingUpdate")
_DETAILS: Final[Mapping[str, Schema]] = {
    "deploymentStrategy": {"properties": {"type": {"enum": [*_STRATEGIES, None]}}},
    "image.digest": {"pattern": "^(sha256:[0-9a-f]{64})?$"},
    "networkPolicy.egressPorts": {"items": {"type": ["integer", "string"]}},
    "podDisruptionBudget.minAvailable": {"type": ["integer", "string", "null"]},
    "provider.webhook.service.port": {"minimum": 1, "maximum": 65535},
    "replicaCount": {"minimum": 0},
    "revisionHistoryLimit": {"minimum": 0},
    "service.ipFamilies": {"items": {"enum": ["IPv4", "IPv6"]}, "maxItems": 2, "uniqueItems": True},
    "service.port": {"minimum": 1, "maximum": 65535},
    "terminationGracePeriodSeconds": {"minimum": 0},
}
"""What the schemas of single values have besides the type of their default."""

_TEMPLATE: Final = r"\{\{"
_TYPES: Final[Mapping[type, str]] = {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object"}


def build_schema() -> Schema:
    """Build the schema (JSON Schema draft 7) of the values of the Helm chart."""
    found = _describe_object(read_defaults(), "", read_descriptions())
    properties = found["properties"]
    properties["provider"]["type"] = ["object", "string", "null"]
    properties["provider"]["properties"]["name"] |= _describe_choice(BY_NAME["provider"])
    properties["extraArgs"] |= _describe_extra_args()
    properties["secretArgs"] |= _describe_secret_args()
    properties["env"]["items"] = {"type": "object", "required": ["name"]}
    del properties["global"]["additionalProperties"]
    use = "No effect in this chart; a chart that depends on it may use the value as the condition of the dependency."
    properties["enabled"] = {"type": ["boolean", "null"], "description": use}
    return {"$schema": "http://json-schema.org/draft-07/schema#"} | found


def _describe_object(values: Mapping[str, Any], path: str, descriptions: Mapping[str, str]) -> Schema:
    fields = {name: _describe_value(value, f"{path}{name}", descriptions) for name, value in values.items()}
    return {"type": ["object", "null"] if path else "object", "additionalProperties": False, "properties": fields}


def _describe_value(value: object, path: str, descriptions: Mapping[str, str]) -> Schema:
    description = {"description": descriptions[path]} if path in descriptions else {}
    if path in FLAG_BY_VALUE:
        return _describe_named(BY_NAME[FLAG_BY_VALUE[path]], value)
    if isinstance(value, dict) and value and path not in FREE_FORM:
        return description | _describe_object(value, f"{path}.", descriptions)
    found: Schema = {"type": [_TYPES[type(value)], "null"]}
    if isinstance(value, str):
        found["type"].insert(1, "number")  # a tag such as 1.0, or a namespace such as 123
    if path in _ENUMS:
        found = {"enum": [*_ENUMS[path], "", None]}
    return description | found | _DETAILS.get(path, {}) | {"default": value}


def _describe_named(flag: Flag, default: object) -> Schema:
    """Describe a value of the chart that sets *flag*. It may be empty, which means that the flag is not set."""
    common = {"description": f"`{flag.spelling}`: {describe_flag(flag)}", "default": default}
    if flag.is_switch:
        return common | {"type": ["boolean", "null"]}
    if flag.repeatable:
        return common | {"type": ["array", "null"], "items": _describe_single(flag, ())}
    return common | _describe_single(flag, ("", None))


def _describe_single(flag: Flag, empty: tuple[object, ...]) -> Schema:
    if flag.name in AVAILABLE:
        return _describe_choice(flag)
    if choices := list_allowed(flag):
        return {"enum": [*choices, *empty]}
    types = ["string", "integer", *(["null"] if empty else [])]
    pattern = f"^({flag.kind.pattern}{'|' if empty else ''})$"
    return {"type": types} | ({"pattern": pattern} if flag.kind.pattern else {})


def _describe_choice(flag: Flag) -> Schema:
    """Describe a value that can be any text: editors suggest the choices, and the templates refuse other texts."""
    return {"anyOf": [{"enum": list(list_allowed(flag))}, {"type": ["string", "null"]}]}


def _describe_argument(flag: Flag) -> Schema:
    """Describe the value of *flag* under `extraArgs`. Unless the flag is a switch, it may be a Helm template."""
    description = {"description": describe_flag(flag)}
    if flag.is_switch:
        return {"type": ["boolean", "null"]} | description
    choices = () if flag.name in AVAILABLE else list_allowed(flag)
    pattern = "|".join(choices) or flag.kind.pattern
    one: Schema = {"type": ["string", "integer"]} | ({"pattern": f"^({pattern})$|{_TEMPLATE}"} if pattern else {})
    many = {"items": one, "type": ["array", *one["type"]]} if flag.repeatable else {}
    return one | many | description


def _describe_extra_args() -> Schema:
    arguments = {flag.name: _describe_argument(flag) for flag in FLAGS if flag.environment and not flag.secret}
    item = {"type": "string"}
    return {"type": ["object", "array", "null"], "properties": arguments, "items": item}


def _describe_secret_args() -> Schema:
    fields = {"name": {"type": "string"}, "key": {"type": "string"}, "optional": {"type": "boolean"}}
    ref = {"type": "object", "required": ["name", "key"], "additionalProperties": False, "properties": fields}
    flags = {flag.name: ref | {"description": describe_flag(flag)} for flag in FLAGS if flag.secret}
    return {"type": ["object", "null"], "properties": flags, "additionalProperties": False}


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(build_schema(), indent=2, ensure_ascii=False)}\n")
