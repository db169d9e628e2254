"""The source `f5-virtualserver`: cis.f5.com/v1 VirtualServers (docs/spec/sources.md 7.10)."""

from __future__ import annotations

from typing import Final

from extdns.resources.ingress_controllers import F5_VIRTUAL_SERVER
from extdns.sources.common.annotations import RecordOptions
from extdns.sources.common.f5 import publish_server
from extdns.sources.common.spec import SourceSpec, Templating

SOURCE: Final = SourceSpec(
    name="f5-virtualserver",
    kinds=(F5_VIRTUAL_SERVER,),
    publish=publish_server,
    host_field="spec.host of a VirtualServer",
    hostname_annotations=(),
    options=RecordOptions.read_ttl_only,
    templates=Templating.AT_TEMPLATE_TARGETS,
)
