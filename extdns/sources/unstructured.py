"""The `unstructured` source: any kind that `--unstructured-resource` names (spec sources 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.claim import Claim
from extdns.model.cluster import Kind
from extdns.model.objects import KubernetesObject, key_of
from extdns.model.reason import Reason
from extdns.ports import View
from extdns.sources.hosting import Hosting
from extdns.sources.selection import Selection
from extdns.sources.targets import Missing

_NAME: Final = "unstructured"
_NO_TARGET: Final = Missing(
    reason=Reason.NO_ENDPOINTS, detail="no target annotation, and of such objects nothing else is read"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstructuredSource:
    """Names and targets that annotations or templates give; one for each kind.

    Attributes:
        kind: the kind of object.
    """

    name = _NAME

    kind: Kind
    selection: Selection

    def claims(self, obj: KubernetesObject, view: View) -> tuple[Claim, ...]:  # noqa: ARG002 - it says all itself
        """What *obj* asks for, in the order of `Draft.claims`; raises `TemplateError` if a template fails on it."""
        kind, namespace, name = key_of(self.kind, obj)
        label = f"{kind.name.lower()}/{namespace}/{name}"  # also where another source marks the kind otherwise
        hosting = Hosting(_NAME, kind, obj, self.selection, ttl_alone=True, resource=label)
        if left_out := hosting.left_out():
            return left_out
        hosting.publish_annotated(hosting.target or _NO_TARGET, in_any_case=True)
        hosting.make()
        return hosting.claims()
