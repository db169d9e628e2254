"""Templates of flags: parsed at the start, rendered for objects (docs/spec/sources.md, 8.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from extdns.errors import UsageError
from extdns.gotemplate.errors import TemplateError
from extdns.gotemplate.evaluator import Evaluator
from extdns.gotemplate.functions import NAMES, list_functions
from extdns.gotemplate.nodes import TemplateTree
from extdns.gotemplate.parser import parse_template
from extdns.gotemplate.values import VIEW, GoValue, is_known_type, make_typed
from extdns.model.kind import Kind, ObjectMeta
from extdns.model.value import Value

_PACKAGES: Final = {
    "": "core",
    "networking.k8s.io": "networking",
    "gateway.networking.k8s.io": "gateway",
    "networking.istio.io": "istio",
    "cis.f5.com": "vendors",
    "gloo.solo.io": "vendors",
    "projectcontour.io": "vendors",
    "route.openshift.io": "vendors",
    "traefik.containo.us": "vendors",
    "traefik.io": "vendors",
    "zalando.org": "vendors",
}
_WORD: Final = re.compile("[a-z]+")
_INITIALISM: Final = re.compile(
    "acl|api|arn|ca|cidr|cpu|crd|db|dns|https?|id|ip|json|jwk|jwt|os|pem|rbac|sql|ssl|tcp|tls|ttl|udp|u?uid|uri|url|vm"
    "|xml|yaml"
)


def _list_forms(kind: Kind, metadata: ObjectMeta, *, is_raw: bool) -> Iterator[tuple[GoValue, bool]]:
    """Yield the object of *kind* in *metadata* in each form to render, and whether a missing key is then an error.

    The first form has Go's field names, if the Go type is known; with *is_raw* it is the second one, plus fields with
    Go-like names in spec and status (docs/spec/sources.md, 6.4). The second one has JSON's field names below
    `.Metadata`, `.Spec`, `.Status` and `.Object`.
    """
    if not metadata.full_object:
        raise ValueError(f"{kind.name} objects were decoded without all of their fields, which templates need")
    content = {"kind": kind.name} | msgspec.json.decode(metadata.full_object) | {"apiVersion": kind.api_version}
    content["metadata"] |= {
        "namespace": metadata.namespace,
        "resourceVersion": metadata.resource_version,
        "generation": metadata.generation,
    }
    name = f"{_PACKAGES.get(kind.group, '')}.{kind.name}"
    if is_raw:
        yield _build_view(content, _add_go_names), False
    elif is_known_type(name):
        yield make_typed(f"*{name}", content), False
    yield _build_view(content, _keep_mapping), True


def _build_view(content: dict[str, Any], part: Callable[[object], object]) -> GoValue:
    metadata = content["metadata"]
    parts = {
        "Name": metadata.get("name"),
        "Namespace": metadata.get("namespace"),
        "Kind": content["kind"],
        "APIVersion": content["apiVersion"],
        "Labels": metadata.get("labels"),
        "Annotations": metadata.get("annotations"),
        "Metadata": metadata,
        "Spec": part(content.get("spec")),
        "Status": part(content.get("status")),
        "Object": content,
    }
    return make_typed(VIEW, parts)


def _keep_mapping(part: object) -> object:
    return part if isinstance(part, dict) else None


def _add_go_names(part: object) -> object:
    return {_convert_to_go_name(key): value for key, value in part.items()} | part if isinstance(part, dict) else None


def _convert_to_go_name(key: str) -> str:
    word = _WORD.match(key)
    first = word[0] if word else ""
    return (first.upper() if _INITIALISM.fullmatch(first) else first.capitalize()) + key[len(first) :]


_SEPARATOR: Final = ","
_RAW_SOURCE: Final = "unstructured"
"""The source whose templates use JSON field names for every kind (docs/spec/sources.md 6.4)."""


class Template(Value, frozen=True, kw_only=True):
    """The values of one flag, joined into one template.

    Attributes:
        flag: the flag with its dashes, as `--fqdn-template`.
        sources: all values that `--source` accepts, for `isSource`.
    """

    flag: str
    values: tuple[str, ...]
    tree: TemplateTree
    sources: tuple[str, ...]

    @classmethod
    def parse(cls, flag: str, values: Sequence[str], sources: Sequence[str]) -> Template | None:
        """Parse the *values* of *flag*. Return None if they are blank."""
        text = _SEPARATOR.join(values)
        if not text.strip(f" \t\r\n{_SEPARATOR}" if len(values) > 1 else None):
            return None
        begin = 0
        try:
            # each value is also parsed separately, so that a block cannot begin in one value and end in the next
            for value in values:
                parse_template(value, NAMES)
                begin += len(value) + len(_SEPARATOR)
            begin = 0
            tree = parse_template(text, NAMES)
        except TemplateError as exc:
            raise UsageError(f"{_locate(flag, values, begin + max(exc.offset, 0))}: {exc.message}\n  {text}") from exc
        return cls(flag=flag, values=tuple(values), tree=tree, sources=tuple(sources))

    def render_items(self, kind: Kind, metadata: ObjectMeta, source: str) -> tuple[str, ...]:
        """Render the template for an object of *kind* and split the output at commas (docs/spec/sources.md, 8.7).

        If rendering one form of the object fails, the next one is tried. Return the items without duplicates, sorted.

        Raises:
            TemplateError: every attempt failed. The message contains the flag, the location and the first failure.
        """
        output = self._render(_list_forms(kind, metadata, is_raw=source == _RAW_SOURCE), source)
        found = {item.strip().removesuffix(".") for item in output.split(_SEPARATOR)}
        return tuple(sorted(found - {""}))

    def _render(self, forms: Iterator[tuple[GoValue, bool]], source: str) -> str:
        known = list_functions(source, self.sources)
        failure: TemplateError | None = None
        for value, strict in forms:
            try:
                return Evaluator(self.tree, known, strict=strict).render(value)
            except TemplateError as exc:
                failure = failure or exc
            except RecursionError:
                failure = failure or TemplateError("templates and data are nested too deeply", 0)
        if failure is None:
            raise TypeError("an object has no form")
        where = _locate(self.flag, self.values, failure.offset)
        raise TemplateError(f"{where}: {failure.message}", failure.offset) from failure


def _locate(flag: str, values: Sequence[str], offset: int) -> str:
    """Return the location, counted from 1: `--flag:line:column`, or `--flag[n]:line:column` for several values."""
    at, number = offset, 0
    while number < len(values) - 1 and at > len(values[number]):
        at -= len(values[number]) + len(_SEPARATOR)
        number += 1
    before = values[number][:at]
    which = f"[{number + 1}]" if len(values) > 1 else ""
    return f"{flag}{which}:{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"
