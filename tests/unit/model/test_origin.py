"""What the labels and annotations of an object say about what set it."""

from __future__ import annotations

import pytest

from extdns.model.kind import ObjectMeta
from extdns.model.origin import UNKNOWN_ORIGIN, Origin, read_origin

KUSTOMIZE = "kustomize.toolkit.fluxcd.io"
HELM = "helm.toolkit.fluxcd.io"


@pytest.mark.parametrize(
    ("labels", "annotations", "expected"),
    [
        (None, None, UNKNOWN_ORIGIN),
        ({"app": "web"}, {"argocd.argoproj.io/sync-wave": "1"}, UNKNOWN_ORIGIN),
        ({f"{KUSTOMIZE}/name": "shop", f"{KUSTOMIZE}/namespace": "flux"}, {}, Origin(flux="Kustomization flux/shop")),
        ({f"{HELM}/name": "shop", f"{HELM}/namespace": "flux"}, {}, Origin(flux="HelmRelease flux/shop")),
        ({}, {"argocd.argoproj.io/tracking-id": "a:b"}, Origin(argo_cd="a:b")),
        ({}, {"extdns.io/plan": "3f2a"}, Origin(plan="3f2a")),
    ],
)
def test_labels_and_annotations_say_what_set_an_object(
    labels: dict[str, str] | None, annotations: dict[str, str] | None, expected: Origin
) -> None:
    assert read_origin(ObjectMeta(name="web", labels=labels, annotations=annotations)) == expected
