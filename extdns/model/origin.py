"""What set an object, as far as the object itself says so: a manager of its fields, Argo CD, Flux, a reviewed plan.

All of it is text that whoever may edit the object can write: a hint where to look, not a proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from extdns.errors import shorten
from extdns.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.model.kind import ObjectKey, ObjectMeta

_ARGO_CD: Final = "argocd.argoproj.io/tracking-id"
_FLUX: Final = {"kustomize.toolkit.fluxcd.io/name": "Kustomization", "helm.toolkit.fluxcd.io/name": "HelmRelease"}
PLAN_ANNOTATION: Final = "extdns.io/plan"
"""Names the plan that a change was reviewed under, as a pipeline writes it: its checksum, or any other text."""

_MAX_LENGTH: Final = 300
_NONE: Final[Mapping[str, str]] = {}


class Origin(Value, frozen=True, kw_only=True):
    """What set an object; a field is "" if the object does not say so.

    Attributes:
        set_by: the managers that own its hostname annotation, or else its spec (`metadata.managedFields`).
        argo_cd: the tracking id of Argo CD, which begins with the name of the Application.
        flux: the object of Flux that applied it, as `Kustomization flux-system/shop`.
        plan: the annotation `extdns.io/plan`.
    """

    set_by: str = ""
    argo_cd: str = ""
    flux: str = ""
    plan: str = ""

    @classmethod
    def unknown(cls, _: ObjectKey) -> Origin:
        """Return that nothing is known about what set an object."""
        return UNKNOWN_ORIGIN


UNKNOWN_ORIGIN: Final = Origin()


def read_origin(metadata: ObjectMeta) -> Origin:
    """Return what *metadata* says about what set the object."""
    annotations, labels = metadata.annotations or _NONE, metadata.labels or _NONE
    texts = annotations.get(_ARGO_CD, ""), _find_flux_object(labels), annotations.get(PLAN_ANNOTATION, "")
    if not (metadata.set_by or any(texts)):
        return UNKNOWN_ORIGIN
    argo_cd, flux, plan = (shorten(text, _MAX_LENGTH) for text in texts)
    return Origin(set_by=metadata.set_by, argo_cd=argo_cd, flux=flux, plan=plan)


def _find_flux_object(labels: Mapping[str, str]) -> str:
    for label, kind in _FLUX.items():
        if name := labels.get(label):
            return f"{kind} {labels.get(label.replace('/name', '/namespace'), '')}/{name}"
    return ""
