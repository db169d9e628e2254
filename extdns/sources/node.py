"""The `node` source: core/v1 Nodes, by their own names (spec sources 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.errors import ExtdnsError
from extdns.model.claim import Claim, Filtered, Wanted, Withheld
from extdns.model.objects import NODE, KubernetesObject, Node, ref_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources import nodes
from extdns.sources.annotations import Annotations
from extdns.sources.draft import Draft
from extdns.sources.selection import Selection
from extdns.sources.targets import Found, Missing, annotated, found
from extdns.sources.terms import Terms

_NAME: Final = "node"
_FIELD: Final = "metadata.name"
_NONE: Final = Missing(
    reason=Reason.OBJECT_FAILED, detail="status.addresses has neither an ExternalIP nor an InternalIP"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """Settings of the `node` source, named as the flags are."""

    selection: Selection = Selection()  # noqa: RUF009 - frozen
    exclude_unschedulable: bool = True
    expose_internal_ipv6: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSource:
    """Nodes under their own names."""

    name = _NAME
    kind = NODE

    settings: NodeSettings

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What the Node *obj* asks for, in the order of `Draft.claims`.

        Raises:
            ExtdnsError: it has no address, and no name for which that could be said.
            TemplateError: a template fails on it.
            TypeError: *obj* is no Node.
        """
        if not isinstance(obj, Node):
            raise TypeError(f"the {_NAME} source reads Nodes only")
        ref, selection = ref_of(NODE, obj), self.settings.selection
        notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
        by = selection.left_out_by(ref, obj.metadata, notes) or self._left_out_by(obj)
        if by:
            return (Filtered(ref=ref, by=by),)
        draft, bare = Draft(_NAME, ref, Terms.ttl_alone(notes)), Draft(_NAME, ref, Terms(), resource="")
        templates, targets = selection.templates, annotated(notes) or self._addresses(obj)
        if templates.combine or not templates.any:
            draft.ask(obj.metadata.name, _FIELD, targets)
        templates.add_pairs(bare, _NAME, NODE, obj, named=draft.wants)
        for text, field in templates.hosts(_NAME, NODE, obj, named=draft.wants or bare.wants):
            draft.ask(text, field, targets)
        claims = draft.claims() + bare.claims()
        if targets == _NONE and not any(isinstance(claim, Wanted | Withheld) for claim in claims):
            raise ExtdnsError(_NONE.detail)
        return claims

    def _left_out_by(self, node: Node) -> str:
        return "--exclude-unschedulable" if self.settings.exclude_unschedulable and node.spec.unschedulable else ""

    def _addresses(self, node: Node) -> Found | Missing:
        if nodes.addresses((node,), nodes.EXTERNAL):
            texts = nodes.public((node,), expose_internal_ipv6=self.settings.expose_internal_ipv6)
        else:
            texts = nodes.addresses((node,), nodes.INTERNAL)
        return found(texts, "status.addresses", otherwise=_NONE)
