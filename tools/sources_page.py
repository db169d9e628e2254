"""The reference page of the sources, docs/reference/sources.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from extdns.app.source_specs import load_spec
from extdns.config import parse
from extdns.flags.specs import SOURCE_SPECS
from extdns.model.kind import Kind
from extdns.sources.common.spec import SourceSpec

_INTRODUCTION: Final = """\
# Sources

<!-- Made by `make generate` from the specs in extdns/sources. -->

A source of `--source` reads objects of some kinds, and publishes the names that they request. *Looks up* has the kinds
in which it finds targets, if an object refers to them. *Names* says whether `--fqdn-template` gives objects names, and
*pairs* whether `--fqdn-target-template` gives them pairs of a name and a target ([templates](templates.md)).

The flags of each source are in [flags](flags.md#sources), and how its targets are found in the
[specification](../spec/sources.md). The kinds of `traefik-proxy`, `skipper-routegroup` and `unstructured` are set by
flags; the table has the default.

| Source | Reads | Looks up | Names | Pairs |
|---|---|---|---|---|
"""
_DEFAULTS: Final = parse(["--source=empty", "--provider=inmemory"], {}).sources


def render_page() -> str:
    """Return the reference page of the sources as Markdown, with a newline at the end."""
    return _INTRODUCTION + "".join(map(_render_row, map(load_spec, SOURCE_SPECS.available)))


def _render_row(spec: SourceSpec[Any]) -> str:
    reads = "" if spec.generate else _describe(spec.find_kinds(_DEFAULTS))
    names, pairs = spec.templates.value
    return f"| `{spec.name}` | {reads} | {_describe(spec.find_lookups(_DEFAULTS))} | {names} | {pairs} |\n"


def _describe(kinds: Iterable[Kind]) -> str:
    return ", ".join(f"{kind.name} (`{kind.api_version}`)" for kind in kinds)
