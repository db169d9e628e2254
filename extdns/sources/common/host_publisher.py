"""Publish the hostnames of one object: those of its fields and annotations, and those that templates render.

See docs/spec/sources.md 2.6, 6.4 and 8.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from extdns.model.claim import Claim, ExcludedClaim
from extdns.model.kind import Kind, KubernetesObject, build_ref
from extdns.sources.common.annotation_names import PREFIX
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    TargetResult,
    read_target_annotation,
)
from extdns.sources.common.claim_builder import ClaimBuilder, SourceSettings

_HOSTNAME: Final = "hostname"


class HostPublisher:
    """Publishes the hostnames of one object; used for one call of `Source.find_claims`.

    Attributes:
        ref: the object.
        annotations: the annotations of the object.
        annotated_targets: targets of its `target` annotation, or None if it has none.
        builder: merges the requested hostnames; it has the record options and the resource of the object.
    """

    __slots__ = (
        "_bare_builder",
        "_excluded_annotation",
        "_kind",
        "_obj",
        "_settings",
        "_source",
        "annotated_targets",
        "annotations",
        "builder",
        "ref",
    )

    def __init__(
        self,
        source: str,
        kind: Kind,
        obj: KubernetesObject,
        settings: SourceSettings,
        *,
        ttl_only: bool = False,
        resource: str | None = None,
    ) -> None:
        """Read the annotations of *obj*.

        Args:
            source: name of the source.
            kind: the kind of *obj*.
            obj: the object.
            settings: settings that all sources share.
            ttl_only: read no record option but the TTL.
            resource: see `ClaimBuilder.__init__`.
        """
        self._source: Final = source
        self._kind: Final = kind
        self._obj: Final = obj
        self._settings: Final = settings
        self.ref: Final = build_ref(kind, obj.metadata)
        self.annotations: Final = Annotations.read(obj.metadata.annotations, settings.prefixes)
        options = RecordOptions.read_ttl_only(self.annotations) if ttl_only else RecordOptions.read(self.annotations)
        self.builder: Final = ClaimBuilder(source, self.ref, options, resource=resource)
        self._bare_builder: Final = ClaimBuilder(source, self.ref, RecordOptions(), resource="")
        self._excluded_annotation = (
            ExcludedHost(excluded_by="--ignore-hostname-annotation")
            if settings.flags.ignore_hostname_annotation
            else None
        )
        self.annotated_targets: Final[FoundTargets | MissingTargets | None] = read_target_annotation(self.annotations)

    def find_exclusion(self, excluded_by: str = "", *, ignore_controller: bool = False) -> tuple[Claim, ...]:
        """Return one excluded claim if a setting or annotation excludes the object, else ().

        *excluded_by* names a setting of the source that excludes the object; "" if none does.
        """
        annotations = Annotations(prefix=PREFIX) if ignore_controller else self.annotations
        by = self._settings.find_exclusion(self.ref, self._obj.metadata, annotations) or excluded_by
        return (ExcludedClaim(ref=self.ref, excluded_by=by),) if by else ()

    def publish(self, host: str, field: str, result: TargetResult) -> None:
        """Request *host*, found in *field*, with the targets of *result*; do nothing if *host* is empty."""
        if host:
            self.builder.request(host, field, result)

    def publish_annotation_hosts(self, result: TargetResult, *, ignore_flag: bool = False) -> None:
        """Request the hosts of the `hostname` annotation, with the targets of *result*.

        With *ignore_flag*, `--ignore-hostname-annotation` has no effect.
        """
        if self._excluded_annotation is not None and not ignore_flag:
            result = self._excluded_annotation
        for host in self.annotations.get_list(_HOSTNAME):
            self.publish(host, self.annotations.describe_field(_HOSTNAME), result)

    def list_template_hosts(self) -> Iterator[tuple[str, str]]:
        """Render the hosts of `--fqdn-template`. Yield each with the flag's name; raises `TemplateError`."""
        return self._settings.templates.render_hosts(self._source, self._kind, self._obj, has_hosts=self._has_hosts)

    def publish_template_hosts(self, result: TargetResult) -> None:
        """Request the hosts that `--fqdn-template` renders, with the targets of *result*; raises `TemplateError`."""
        for host, field in self.list_template_hosts():
            self.publish(host, field, result)

    def publish_template_pairs(self) -> None:
        """Request the pairs of host and target that `--fqdn-target-template` renders, without TTL and resource.

        Raises:
            TemplateError: the template cannot be rendered for the object.
        """
        self._add_template_pairs(self._bare_builder)

    def publish_bare_template_targets(self) -> None:
        """Request the hosts for which templates also render the targets, without TTL and resource.

        The templates are `--fqdn-target-template`, and `--fqdn-template` with `--target-template`.
        See docs/spec/sources.md 8.8.

        Raises:
            TemplateError: a template cannot be rendered for the object.
        """
        self._add_template_targets(self._bare_builder)

    def publish_template_targets(self) -> None:
        """Request the hosts for which templates also render the targets, with the TTL and resource of the object.

        The templates are those of `publish_bare_template_targets` (docs/spec/sources.md 6.4). Raises `TemplateError`.
        """
        self._add_template_targets(self.builder)

    @property
    def _has_hosts(self) -> bool:
        return self.builder.has_resolved_claims or self._bare_builder.has_resolved_claims

    def _add_template_pairs(self, builder: ClaimBuilder) -> None:
        self._settings.templates.request_host_target_pairs(
            builder, self._source, self._kind, self._obj, has_hosts=self._has_hosts
        )

    def _add_template_targets(self, builder: ClaimBuilder) -> None:
        self._add_template_pairs(builder)
        self._settings.templates.request_hosts_at_targets(
            builder, self._source, self._kind, self._obj, has_hosts=self._has_hosts
        )

    def build(self) -> tuple[Claim, ...]:
        """Return the claims in the order of `ClaimBuilder.build`; those without TTL and resource come last."""
        return self.builder.build() + self._bare_builder.build()
