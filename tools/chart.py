"""The files of the Helm chart that are made from its values.yaml, the flags and the sources.

The schema has the structure and the descriptions of values.yaml; values that become flags are described by the table of
flags. It checks the type and form of each value. What cannot be refused without an explanation is refused by the
templates of the chart (docs/design/chart.md, "What is refused").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from extdns.app.source_specs import load_spec
from extdns.flags.flag import Flag
from extdns.flags.help import describe_flag, list_allowed
from extdns.flags.provider_ways import BY_PROVIDER
from extdns.flags.sources import SourceFlags
from extdns.flags.specs import SOURCE_SPECS
from extdns.flags.table import BY_NAME, FLAGS
from extdns.flags.validation import AVAILABLE
from extdns.model.kind import Kind
from extdns.sources.common.spec import SourceSpec
from extdns.sources.service import ServiceType

_HEAD: Final = "# Made by `make generate`.\n"

# values.yaml

CHART: Final = Path(__file__).parents[1] / "charts" / "extdns"
VALUES: Final = CHART / "values.yaml"


def read_defaults() -> dict[str, Any]:
    """Return the default values of the chart, from its values.yaml."""
    found: dict[str, Any] = yaml.safe_load(VALUES.read_text(encoding="utf-8"))
    return found


def read_descriptions() -> Mapping[str, str]:
    """Return the comments directly above keys in block style, by the path of the key, as `image.tag`."""
    text = VALUES.read_text(encoding="utf-8")
    return dict(_find_comments(yaml.compose(text), text.splitlines(), ""))


def _find_comments(node: yaml.Node | None, lines: list[str], path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return
    for key, value in node.value:
        name = f"{path}{key.value}"
        if comment := _read_comment(lines, key.start_mark.line, key.start_mark.column):
            yield name, comment
        yield from _find_comments(value, lines, f"{name}.")


def _read_comment(lines: list[str], line: int, column: int) -> str:
    found: list[str] = []
    start = f"{' ' * column}# "
    while line and lines[line - 1].startswith(start):
        line -= 1
        found.insert(0, lines[line].removeprefix(start))
    return " ".join(found)


# values.schema.json

Schema = dict[str, Any]

FLAG_BY_VALUE: Final[Mapping[str, str]] = {
    "annotationFilter": "annotation-filter",
    "annotationPrefix": "annotation-prefix",
    "auditLog": "audit-log",
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
    "refreshCallsPerMinute": "refresh-calls-per-minute",
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
        *("opa.livenessProbe", "opa.resources", "opa.securityContext"),
        *("opa.kubeMgmt.resources", "opa.kubeMgmt.securityContext"),
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
    names = _describe_choice(BY_NAME["provider"])
    names["anyOf"][0]["enum"] += _describe_sidecars()
    properties["provider"]["properties"]["name"] |= names
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


def render_schema() -> str:
    """Return the text of `values.schema.json`."""
    return f"{json.dumps(build_schema(), indent=2, ensure_ascii=False)}\n"


# README.md

_TEXT: Final = """\
# {name}

{description}.

Values of external-dns's chart have the same meaning here, and its releases can be upgraded: [how][tutorial].

```console
$ helm upgrade --install external-dns oci://{registry}/charts/{name} --version {version} \\
    --namespace external-dns --create-namespace \\
    --set policy=upsert-only --set provider.name=aws --set txtOwnerId=my-cluster --wait
$ helm test external-dns --namespace external-dns --logs
```

`helm test` asks the program whether it is ready, and runs `extdns check`, which reports missing permissions,
credentials and objects. More: [install with Helm][install], [memory by size][sizing], [all flags][flags].

[tutorial]: {docs}/tutorials/from-the-external-dns-chart.md
[install]: {docs}/how-to/install-with-helm.md
[sizing]: {docs}/reference/sizing.md
[flags]: {docs}/reference/flags.md

## Values

Every value may be null, which renders nothing. `extraArgs` takes the flags that have no value of their own.

| Value | Default | Description |
|---|---|---|
"""


def render_readme() -> str:
    """Return the text of `README.md`."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    (image,) = yaml.safe_load(chart["annotations"]["artifacthub.io/images"])
    registry = image["image"].rpartition("/")[0]
    head = _TEXT.format(**chart, docs=f"{chart['home']}/blob/main/docs", registry=registry)
    return head + "".join(_list_rows(build_schema(), ""))


def _list_rows(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, field in schema["properties"].items():
        nested = "default" not in field and "properties" in field
        default = "" if nested else f"`{json.dumps(field.get('default'), ensure_ascii=False)}`"
        text = field["description"].replace("|", "\\|")
        yield f"| `{path}{name}` | {default} | {text} |\n"
        if nested:
            yield from _list_rows(field, f"{path}{name}.")


# files/flags.yaml

SECRET_VARIABLES: Final = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
"""Variables of other programs that hold secrets."""


def _describe_flags() -> dict[str, Any]:
    """Return the content of `files/flags.yaml`, by key.

    `available` has the sources, providers and registries of this version, `secretVariables` the environment variables
    with secrets. `sidecars` has the version of external-dns for each provider that is reached through it, and the
    properties that it keeps; `ofSidecars` has the flags of other providers than `webhook`. `repeatable`, `secret`,
    `switches` and `valued` (not switches) have names of flags. `kinds` has each kind of value that has
    a pattern, with the values that it allows, and its flags.
    """
    return {
        "available": {name: list(choices) for name, choices in AVAILABLE.items()},
        "kinds": _describe_kinds(),
        "ofSidecars": _list_names(flag for flag in FLAGS if flag.providers and "webhook" not in flag.providers),
        "repeatable": _list_names(flag for flag in FLAGS if flag.repeatable),
        "secret": _list_names(flag for flag in FLAGS if flag.secret),
        "secretVariables": [*SECRET_VARIABLES, *(flag.variable for flag in FLAGS if flag.secret)],
        "sidecars": _describe_sidecars(),
        "switches": _list_names(flag for flag in FLAGS if flag.is_switch),
        "valued": _list_names(flag for flag in FLAGS if not flag.is_switch),
    }


def _describe_kinds() -> list[dict[str, Any]]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for flag in (one for one in FLAGS if not one.is_switch and not one.secret and one.name not in AVAILABLE):
        kind = flag.kind
        if pattern := "|".join(map(re.escape, kind.choices)) or kind.pattern:
            found.setdefault((f"^({pattern})$", kind.noun, kind.allowed), []).append(flag.name)
    return [
        {"pattern": pattern, "noun": noun, "allowed": allowed, "flags": sorted(names)}
        for (pattern, noun, allowed), names in sorted(found.items())
    ]


def _describe_sidecars() -> dict[str, dict[str, str]]:
    ways = {name: way for name, way in BY_PROVIDER.items() if way.image}
    return {
        name: {"version": way.image} | ({"properties": way.properties} if way.properties else {})
        for name, way in ways.items()
    }


def render_flags() -> str:
    """Return the text of `files/flags.yaml`: one name a line, so that a new flag changes one line."""
    return _HEAD + yaml.safe_dump(_describe_flags(), sort_keys=True, default_flow_style=False)


def _list_names(flags: Iterable[Flag]) -> list[str]:
    return sorted(flag.name for flag in flags)


# files/permissions.yaml


_DEFAULTS: Final = SourceFlags()


def _describe_permissions() -> dict[str, Any]:
    """Return the content of `files/permissions.yaml`.

    `sources` has the resources of each source whose kinds no flag decides: `named` are read by name, `listed` are only
    listed and watched, and `--namespace` does not limit those in `everywhere`, if they are read. `serviceTypes` has the
    resources that the source `service` looks up for a type of Service.
    """
    specs = [load_spec(name) for name in SOURCE_SPECS.available]
    by_type = {str(found): _find_service_lookups(found) for found in ServiceType}
    return {
        "sources": {
            spec.name: _describe_source(spec) for spec in specs if spec.generate is None and not callable(spec.kinds)
        },
        "serviceTypes": {found: _list_resources(kinds) for found, kinds in by_type.items() if kinds},
    }


def _find_service_lookups(service_type: ServiceType) -> tuple[Kind, ...]:
    return load_spec("service").find_lookups(_DEFAULTS.replace(service_type_filter=(service_type,)))


def render_permissions() -> str:
    """Return the text of `files/permissions.yaml`: what sources list and watch, and read by name."""
    return _HEAD + yaml.safe_dump(_describe_permissions(), width=120, default_flow_style=None)


def _describe_source(spec: SourceSpec[Any]) -> dict[str, list[str]]:
    own = spec.find_kinds(_DEFAULTS)
    lookups = () if callable(spec.lookups) else spec.lookups
    everywhere = (*spec.namespaces(_DEFAULTS), *(kind for kind in own if not kind.namespaced))
    found = {"named": own, "listed": lookups, "everywhere": everywhere}
    return {name: _list_resources(kinds) for name, kinds in found.items() if kinds}


def _list_resources(kinds: Iterable[Kind]) -> list[str]:
    return sorted(kind.resource for kind in kinds)
