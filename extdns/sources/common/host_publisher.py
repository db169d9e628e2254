"""Publish the hostnames of one object: those of its fields and annotations, and those that templates render.

See docs/spec/sources.md 2.6, 6.4 and 8.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from extdns.model.claim import Claim, ExcludedClaim
from extdns.model.kind import Kind, KubernetesObject, ObjectKey, build_ref
from extdns.model.reason import Reason
from extdns.sources.common.annotation_names import PREFIX
from extdns.sources.common.annotations import (
    Annotations,
    ExcludedHost,
    FoundTargets,
    MissingTargets,
    RecordOptions,
    RequestedCount,
    TargetResult,
    parse_targets,
    read_target_annotation,
)
from extdns.sources.common.claim_builder import ClaimBuilder, SourceSettings

if TYPE_CHECKING:  # the template engine is imported only if a template is configured
    from extdns.gotemplate.template import Template

_HOSTNAME: Final = "hostname"
_NO_OPTIONS: Final = RecordOptions()
_NO_TARGET: Final = MissingTargets(reason=Reason.INVALID_TARGET, detail="the template renders no target")
IGNORED_ANNOTATION: Final = ExcludedHost(excluded_by="--ignore-hostname-annotation")


class HostPublisher:
    """Publishes the hostnames of one object; used for one call of `Source.find_claims`.

    Attributes:
        annotated_targets: targets of its `target` annotation, or None if it has none.
        count: how much the object requests; what is merged for its hostnames counts, too.
    """

    __slots__ = (
        "_bare_builder",
        "_builders",
        "_excluded_by",
        "_kind",
        "_listed",
        "_name_resource",
        "_obj",
        "_read_options",
        "_source",
        "annotated_targets",
        "annotations",
        "count",
        "flags",
        "ref",
        "settings",
    )

    def __init__(
        self,
        source: str,
        kind: Kind,
        obj: KubernetesObject,
        settings: SourceSettings,
        *,
        read_options: Callable[[Annotations], RecordOptions],
        name_resource: Callable[[ObjectKey], str],
    ) -> None:
        """Read the annotations of *obj*.

        *read_options* returns the record options that they set, and *name_resource* what ownership records name.
        """
        self._source: Final = source
        self._kind: Final = kind
        self._obj: Final = obj
        self._read_options: Final = read_options
        self._name_resource: Final = name_resource
        self.settings: Final = settings
        self.flags: Final = settings.flags
        self.ref: Final = build_ref(kind, obj.metadata)
        self.annotations: Final = settings.read_annotations(obj.metadata)
        self.annotated_targets: Final[FoundTargets | MissingTargets | None] = read_target_annotation(self.annotations)
        self.count: Final = RequestedCount()
        self._builders: Final[dict[RecordOptions | None, ClaimBuilder]] = {}
        self._bare_builder: ClaimBuilder | None = None
        self._listed: Final[dict[Claim, None]] = {}
        self._excluded_by = ""

    @property
    def builder(self) -> ClaimBuilder:
        """Merges the requested hostnames; it has the record options and the resource of the object."""
        return self.get_builder(None)

    def get_builder(self, options: RecordOptions | None) -> ClaimBuilder:
        """Return the builder for hostnames with *options*; None for those that the annotations of the object set."""
        builder = self._builders.get(options)
        if builder is None:
            read = self._read_options(self.annotations) if options is None else options
            builder = self._create_builder(read, self._name_resource(self.ref.key))
            self._builders[options] = builder
        return builder

    def _create_builder(self, options: RecordOptions, resource: str) -> ClaimBuilder:
        lenient = self.settings.compat
        return ClaimBuilder(self._source, self.ref, options, resource=resource, lenient=lenient, count=self.count)

    @property
    def bare_builder(self) -> ClaimBuilder:
        """Merges the requested hostnames without record options; with `--compat`, they have no resource either."""
        if self._bare_builder is None:
            resource = "" if self.settings.compat else self._name_resource(self.ref.key)
            self._bare_builder = self._create_builder(_NO_OPTIONS, resource)
        return self._bare_builder

    def exclude(self, excluded_by: str) -> None:
        """Exclude the object, whatever is requested; *excluded_by* names the flag or annotation that does so."""
        self._excluded_by = excluded_by

    def exclude_by_settings(self, *, has_controller: bool) -> bool:
        """Exclude the object if a setting or annotation does so, and return whether it is excluded.

        *has_controller* says whether the `controller` annotation is read.
        """
        annotations = self.annotations if has_controller else Annotations(prefix=PREFIX)
        self._excluded_by = self.settings.find_exclusion(self.ref, self._obj.metadata, annotations)
        return bool(self._excluded_by)

    def add(self, claim: Claim) -> None:
        """Add *claim*, which the object lists completely."""
        self._listed[claim] = None

    def publish(self, host: str, field: str, result: TargetResult) -> None:
        """Request *host*, found in *field*, with the targets of *result*; do nothing if *host* is empty."""
        if host:
            self.builder.request(host, field, result)

    def publish_annotation_hosts(self, result: TargetResult, *, ignore_flag: bool = False) -> None:
        """Request the hosts of the `hostname` annotation, with the targets of *result*.

        With *ignore_flag*, `--ignore-hostname-annotation` has no effect.
        """
        if self.flags.ignore_hostname_annotation and not ignore_flag:
            result = IGNORED_ANNOTATION
        for host in self.annotations.get_list(_HOSTNAME):
            self.publish(host, self.annotations.describe_field(_HOSTNAME), result)

    def list_template_hosts(self, *, has_hosts: bool | None = None) -> Iterator[tuple[str, str]]:
        """Render the hosts of `--fqdn-template`. Yield each with the flag's name; raises `TemplateError`.

        *has_hosts*: whether the object has other hostnames; None if it has those that were requested so far.
        """
        has_hosts = self.has_hosts if has_hosts is None else has_hosts
        return self._render(self.settings.templates.fqdn, has_hosts=has_hosts)

    def publish_template_hosts(self, result: TargetResult) -> None:
        """Request the hosts that `--fqdn-template` renders, with the targets of *result*; raises `TemplateError`."""
        for host, field in self.list_template_hosts():
            self.publish(host, field, result)

    def publish_template_pairs(self, builder: ClaimBuilder) -> None:
        """Request by *builder* the pairs `host:target` that `--fqdn-target-template` renders; skip other items.

        Raises:
            TemplateError: the template cannot be rendered for the object.
        """
        for pair, flag in self._render(self.settings.templates.fqdn_target, has_hosts=self.has_hosts):
            host, _, target = (part.strip() for part in pair.partition(":"))
            if host and target:
                found = parse_targets((target,), flag, if_empty=_NO_TARGET, is_stated=True)
                builder.request(host, flag, found)

    def publish_template_targets(self, builder: ClaimBuilder) -> None:
        """Request by *builder* the hosts for which templates also render the targets (docs/spec/sources.md 6.4, 8.8).

        The templates are `--fqdn-target-template`, and `--fqdn-template` with `--target-template`.

        Raises:
            TemplateError: a template cannot be rendered for the object.
        """
        self.publish_template_pairs(builder)
        hosts, template = tuple(self.list_template_hosts()), self.settings.templates.target
        if not hosts or template is None:
            return
        if targets := template.render_items(self._kind, self._obj.metadata, self._source):
            found = parse_targets(targets, template.flag, if_empty=_NO_TARGET, is_stated=True)
            for host, flag in hosts:
                builder.request(host, flag, found)

    def _render(self, template: Template | None, *, has_hosts: bool) -> Iterator[tuple[str, str]]:
        """Yield the items that *template* renders, each with the flag's name.

        If the object *has_hosts* already, there are none without `--combine-fqdn-annotation`.
        """
        if template is not None and (self.settings.templates.combine or not has_hosts):
            for item in template.render_items(self._kind, self._obj.metadata, self._source):
                yield item, template.flag

    @property
    def has_hosts(self) -> bool:
        """Whether a hostname with known targets was requested so far."""
        for builder in (*self._builders.values(), self._bare_builder):
            if builder is not None and builder.has_resolved_claims:
                return True
        return False

    def build(self) -> tuple[Claim, ...]:
        """Return the claims of each builder, as `ClaimBuilder.build` does, in the order of their first use.

        Then come those without record options, and at last those added. If the object is excluded, the
        only claim says so.
        """
        if self._excluded_by:
            return (ExcludedClaim(ref=self.ref, excluded_by=self._excluded_by),)
        if self.annotations.values or self.annotations.find_warnings():
            _ = self.builder  # an invalid annotation gives a warning even if no hostname is requested
        claims = [claim for builder in self._builders.values() for claim in builder.build()]
        return (*claims, *(self._bare_builder.build() if self._bare_builder else ()), *self._listed)
