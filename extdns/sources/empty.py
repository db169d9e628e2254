"""The source `empty`, which has no objects and publishes nothing (docs/spec/sources.md 6.7)."""

from __future__ import annotations

from typing import Final

from extdns.model.kind import Kind, KubernetesObject
from extdns.ports import ClusterView
from extdns.sources.common.annotations import read_no_options
from extdns.sources.common.claim_builder import Templates
from extdns.sources.common.host_publisher import HostPublisher
from extdns.sources.common.spec import SourceSpec


def publish(_obj: KubernetesObject, _to: HostPublisher, _view: ClusterView) -> None:
    """Publish nothing."""


def generate(_: Templates) -> tuple[KubernetesObject, ...]:
    """Generate no objects."""
    return ()


SOURCE: Final = SourceSpec(
    name="empty",
    kinds=(Kind("", "", "Empty", "empties"),),
    publish=publish,
    options=read_no_options,
    generate=generate,
)
