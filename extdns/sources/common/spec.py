"""What a source is: the kinds that it reads, and how it publishes the hosts of an object.

Everything else that has to know the sources follows from their specs: the composition root, the kinds and namespaces
to watch, `extdns check`, the permissions in the Helm chart, and the page of sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from extdns.errors import ExtdnsError
from extdns.flags.sources import SourceFlags
from extdns.model.claim import Claim, ResolvedClaim
from extdns.model.kind import Kind, KubernetesObject, ObjectKey
from extdns.model.value import Value
from extdns.ports import ClusterView
from extdns.sources.common.annotations import Annotations, RecordOptions
from extdns.sources.common.claim_builder import SourceSettings, Templates
from extdns.sources.common.claim_stages import ClaimStage, limit_targets
from extdns.sources.common.host_publisher import HostPublisher

T = TypeVar("T")

FindKinds = Callable[[SourceFlags], tuple[Kind, ...]]
DiscoverKinds = Callable[[Sequence[str]], tuple[Kind, ...]]
"""Finds the kinds of resources, each written as `resource.version.group`."""


class Templating(Enum):
    """Whether templates give an object names, and pairs of a name and a target: a row of the page of sources."""

    NONE = ("no", "no")
    NAMES = ("yes", "no")
    NAMES_AND_PAIRS = ("yes", "yes")
    AT_TEMPLATE_TARGETS = ("yes, at the targets of `--target-template`", "yes")


class SourceSpec(Value, Generic[T], frozen=True, kw_only=True):
    """A source of `--source`.

    Attributes:
        name: the value of `--source`, also the name of the module, with _ for -.
        kinds: the kinds whose objects it publishes; a function if flags decide them.
        publish: publish the hosts of an object with a `HostPublisher`, whose `flags` are those of the sources.
        lookups: the kinds that it looks up in addition; a function if flags decide them.
        namespaces: the namespaces of the kinds that `--namespace` does not limit; () is all.
        validate: check the flags of the source; raises `UsageError`.
        options: which record options the annotations of an object set.
        host_field: the field of its objects that names hosts, for messages; "" if there is none.
        hostname_annotations: the annotations that do, without prefix.
        has_controller: whether the `controller` annotation excludes objects of other controllers.
        resource: what ownership records name.
        is_named_in_reference: whether those of external-dns name it. If not, ours do only without `--compat`.
        templates: what templates give the objects.
        decode: decode the JSON of an object each time, if `extdns.resources` has no struct for the kinds.
        generate: generate the objects, which are then in no cluster; no filter applies to them.
    """

    name: str
    kinds: tuple[Kind, ...] | Callable[[SourceFlags, DiscoverKinds], tuple[Kind, ...]]
    publish: Callable[[T, HostPublisher, ClusterView], None]
    lookups: tuple[Kind, ...] | FindKinds = ()
    namespaces: Callable[[SourceFlags], Mapping[Kind, tuple[str, ...]]] = lambda _: {}
    validate: Callable[[SourceFlags], None] = lambda _: None
    options: Callable[[Annotations], RecordOptions] = RecordOptions.read
    host_field: str = ""
    hostname_annotations: tuple[str, ...] = ("hostname",)
    has_controller: bool = True
    resource: Callable[[ObjectKey], str] = lambda key: key.resource
    is_named_in_reference: bool = True
    templates: Templating = Templating.NONE
    decode: Callable[[bytes], T] | None = None
    generate: Callable[[Templates], Sequence[KubernetesObject]] | None = None

    def is_named(self, *, compat: bool) -> bool:
        """Return whether ownership records name the objects."""
        return self.is_named_in_reference or not compat

    def find_kinds(self, flags: SourceFlags, discover: DiscoverKinds = lambda _: ()) -> tuple[Kind, ...]:
        """Return the kinds whose objects it publishes."""
        return self.kinds(flags, discover) if callable(self.kinds) else self.kinds

    def find_lookups(self, flags: SourceFlags) -> tuple[Kind, ...]:
        """Return the kinds that it looks up in addition."""
        return self.lookups(flags) if callable(self.lookups) else self.lookups

    def build(
        self, settings: SourceSettings, stages: tuple[ClaimStage, ...], discover: DiscoverKinds
    ) -> tuple[KindSource, ...]:
        """Build the source, once for each kind."""
        self.validate(settings.flags)
        elsewhere = self.namespaces(settings.flags)
        return tuple(
            KindSource(
                spec=self,
                kind=kind,
                settings=replace(settings, namespace="") if kind in elsewhere else settings,
                stages=stages,
            )
            for kind in self.find_kinds(settings.flags, discover)
        )


class KindSource(Value, frozen=True, kw_only=True):
    """A source for objects of one of its kinds. Its resolved claims go through *stages* in order."""

    spec: SourceSpec[Any]
    kind: Kind
    settings: SourceSettings
    stages: tuple[ClaimStage, ...] = ()

    @property
    def name(self) -> str:
        """The name of the source, as in `--source`."""
        return self.spec.name

    def find_claims(self, obj: KubernetesObject, view: ClusterView) -> tuple[Claim, ...]:
        """Return the claims of *obj* in the order of `HostPublisher.build`; after stages, without duplicates.

        Raises:
            ExtdnsError: a field has the wrong type, or the source cannot compute the claims.
            NotSyncedError: other objects are needed and not listed yet.
            TemplateError: a template cannot be rendered for *obj*.
        """
        spec = self.spec
        name_resource = spec.resource if spec.is_named(compat=self.settings.compat) else lambda _: ""
        to = HostPublisher(
            spec.name, self.kind, obj, self.settings, read_options=spec.options, name_resource=name_resource
        )
        if spec.generate is not None or not to.exclude_by_settings(has_controller=spec.has_controller):
            spec.publish(obj if spec.decode is None else _decode(obj, to, spec.decode), to, view)
        claims = refined = limit_targets(to.build())
        for stage in self.stages:
            made = [stage(claim) if isinstance(claim, ResolvedClaim) else (claim,) for claim in refined]
            refined = tuple(chain.from_iterable(made))
        return claims if refined == claims else tuple(dict.fromkeys(refined))


def _decode(obj: KubernetesObject, to: HostPublisher, decode: Callable[[bytes], T]) -> T:
    try:
        return decode(obj.metadata.full_object)
    except msgspec.ValidationError as exc:
        raise ExtdnsError(f"{to.ref} cannot be decoded: {exc}") from exc
