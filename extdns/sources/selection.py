"""Which objects a source looks at at all (spec sources 2.2, 2.6, 2.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from extdns.model.cluster import ObjectRef
from extdns.model.lean import ObjectMeta
from extdns.model.selector import EVERYTHING, Selector
from extdns.sources.annotations import BOTH, Annotations
from extdns.sources.templates import NONE, Templates

CONTROLLER: Final = "controller"
_OURS: Final = "dns-controller"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What all sources share.

    Attributes:
        namespace: the only namespace looked at, "" for all; kinds without namespaces are looked at in any case.
        prefixes: of annotations, the one that counts most first.
        ignore_hostname_annotation: hosts come from templates alone.
        templates: make names and targets for objects that do not name themselves.
    """

    namespace: str = ""
    label_filter: Selector = EVERYTHING
    annotation_filter: Selector = EVERYTHING
    prefixes: tuple[str, ...] = BOTH
    ignore_hostname_annotation: bool = False
    templates: Templates = NONE

    def left_out_by(self, ref: ObjectRef, meta: ObjectMeta, notes: Annotations) -> str:
        """The flag or annotation that keeps the object from being looked at, "" if none does."""
        if self.namespace and ref.key.kind.namespaced and ref.key.namespace != self.namespace:
            return "--namespace"
        if not self.label_filter.matches(meta.labels):
            return "--label-filter"
        if not self.annotation_filter.matches(meta.annotations):
            return "--annotation-filter"
        return "" if is_ours(notes) else notes.field(CONTROLLER)


def is_ours(notes: Annotations) -> bool:
    """Tell whether no other controller is named to look after the object."""
    return notes.values.get(CONTROLLER, _OURS) == _OURS
