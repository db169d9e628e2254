"""Build sources, their settings and templates, and the full objects that templates need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from extdns.app.source_specs import load_spec
from extdns.flags.sources import SOURCES, SourceFlags
from extdns.gotemplate.template import Template
from extdns.model.kind import Kind, KubernetesObject
from extdns.sources.common.claim_builder import SourceSettings, Templates
from extdns.sources.common.claim_stages import ClaimStage
from extdns.sources.common.spec import KindSource

T = TypeVar("T", bound=KubernetesObject)


def keep_all_fields(obj: T) -> T:
    """Return *obj* with its JSON in `metadata.full_object`, as a cluster stores it if templates are used."""
    metadata = msgspec.structs.replace(obj.metadata, full_object=msgspec.json.encode(obj))
    return msgspec.structs.replace(obj, metadata=metadata)


def templates(
    fqdn: Sequence[str] = (), pairs: Sequence[str] = (), *, target: Sequence[str] = (), combine: bool = False
) -> Templates:
    """Build the templates for these flag values."""
    return Templates(
        fqdn=Template.parse("--fqdn-template", fqdn, SOURCES),
        fqdn_target=Template.parse("--fqdn-target-template", pairs, SOURCES),
        target=Template.parse("--target-template", target, SOURCES),
        combine=combine,
    )


DEFAULTS: Final = SourceSettings(flags=SourceFlags())


def settings_with(base: SourceSettings = DEFAULTS, **values: Any) -> SourceSettings:  # noqa: ANN401 - of SourceSettings and SourceFlags
    """Return *base* with other *values* of settings or flags."""
    own = {name: values.pop(name) for name in SourceSettings.__struct_fields__ if name in values}
    return replace(base, flags=base.flags.replace(**values), **own)


def build_source(
    name: str, settings: SourceSettings = DEFAULTS, *, kind: Kind | None = None, stages: tuple[ClaimStage, ...] = ()
) -> KindSource:
    """Build the source *name*; if flags decide its kinds, for *kind*."""
    spec = load_spec(name)
    if kind is not None:
        return KindSource(spec=spec, kind=kind, settings=settings, stages=stages)
    (built,) = spec.build(settings, stages, lambda _: ())
    return built
