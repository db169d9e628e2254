"""What sources of ingress controllers do alike with one object: select it, and publish hosts (spec sources 7)."""

from __future__ import annotations

from typing import Final

from extdns.model.claim import Claim, Filtered
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject, ref_of
from extdns.sources.annotations import PREFIX, Annotations
from extdns.sources.draft import Draft
from extdns.sources.selection import Selection
from extdns.sources.targets import Answer, Found, LeftOut, Missing, annotated
from extdns.sources.terms import Terms

_HOSTNAME: Final = "hostname"


class Hosting:
    """Collects the claims of one object; lives for one call of `Source.claims`.

    Attributes:
        ref: the object.
        target: what its `target` annotation says, None if it says nothing.
    """

    __slots__ = ("_draft", "_ignored", "_kind", "_notes", "_obj", "_selection", "_source", "ref", "target")

    def __init__(
        self,
        source: str,
        kind: Kind,
        obj: KubernetesObject,
        selection: Selection,
        *,
        ttl_alone: bool = False,
        resource: str | None = None,
    ) -> None:
        """Read the annotations of *obj*, a *kind*; of what they say of records, only the TTL if *ttl_alone*.

        Marks name the object *resource*, as for `Draft`.
        """
        self._source: Final = source
        self._kind: Final = kind
        self._obj: Final = obj
        self._selection: Final = selection
        self.ref: Final = ref_of(kind, obj)
        self._notes: Final = Annotations.of(obj.metadata.annotations, selection.prefixes)
        terms = Terms.ttl_alone(self._notes) if ttl_alone else Terms.of(self._notes)
        self._draft: Final = Draft(source, self.ref, terms, resource=resource)
        self._ignored = LeftOut(by="--ignore-hostname-annotation") if selection.ignore_hostname_annotation else None
        self.target: Final[Found | Missing | None] = annotated(self._notes)

    def left_out(self, *, whoever_controls: bool = False) -> tuple[Claim, ...]:
        """The one claim of an object that its selection leaves out, else ()."""
        notes = Annotations(prefix=PREFIX) if whoever_controls else self._notes
        by = self._selection.left_out_by(self.ref, self._obj.metadata, notes)
        return (Filtered(ref=self.ref, by=by),) if by else ()

    def publish(self, host: str, field: str, answer: Answer) -> None:
        """Publish *host*, which stands in *field*, unless it is empty."""
        if host:
            self._draft.ask(host, field, answer)

    def publish_annotated(self, answer: Answer, *, in_any_case: bool = False) -> None:
        """Publish the hosts of the `hostname` annotation, even if flags ignore it if *in_any_case*."""
        if self._ignored is not None and not in_any_case:
            answer = self._ignored
        for host in self._notes.listed(_HOSTNAME):
            self.publish(host, self._notes.field(_HOSTNAME), answer)

    def publish_templated(self, answer: Answer) -> None:
        """Publish what `--fqdn-template` makes of the object; raises `TemplateError`."""
        for host, field in self._selection.templates.hosts(
            self._source, self._kind, self._obj, named=self._draft.wants
        ):
            self.publish(host, field, answer)

    def made(self) -> tuple[Claim, ...]:
        """What templates make where they make targets, too; raises `TemplateError` (spec sources 8.8)."""
        bare = Draft(self._source, self.ref, Terms(), resource="")
        self._make(bare)
        return bare.claims()

    def make(self) -> None:
        """As `made`, but as if the object had said it itself: with its label and its TTL (spec sources 6.4)."""
        self._make(self._draft)

    def _make(self, draft: Draft) -> None:
        made, named = self._selection.templates, self._draft.wants
        made.add_pairs(draft, self._source, self._kind, self._obj, named=named)
        made.add_crossed(draft, self._source, self._kind, self._obj, named=named or draft.wants)

    def claims(self) -> tuple[Claim, ...]:
        """As `Draft.claims`."""
        return self._draft.claims()
