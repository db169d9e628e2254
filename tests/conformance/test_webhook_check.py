"""`extdns webhook-check` finds nothing wrong in `extdns webhook`, whatever provider it serves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from extdns.model.dns_name import DnsName
from extdns.webhook_check.catalog import run_checks
from extdns.webhook_check.check import CheckEnd
from extdns.webhook_check.exchange import CheckedServer
from extdns.webhook_check.scratch import Scratch
from providers.webhook.wire import MAX_BODY_BYTES, Property
from tests.conformance.provider import build_rig
from tests.web_server import HANGS_S
from tests.webhook_service import serve

RECORDS: Final = 30
PROPERTIES: Final = {"aws": Property(name="aws/weight", value="1")}


def test_extdns_webhook_in_front_of_each_provider_passes_every_check_of_webhook_check(
    served_provider: str, tmp_path: Path
) -> None:
    rig = build_rig(served_provider, tmp_path)
    properties = (PROPERTIES.get(served_provider, Property(name="webhook/color", value="green")),)
    server = CheckedServer(url=serve(rig.reader, rig.writer), timeout_s=HANGS_S, max_bytes=MAX_BODY_BYTES)
    scratch = Scratch(
        server, DnsName.parse("example.org"), "extdns-check-1", large_count=RECORDS, properties=properties
    )
    outcomes = list(run_checks(scratch))
    assert [(one.check.name, one.message) for one in outcomes if one.end is CheckEnd.FAILED] == []
    assert scratch.clean_up() == ""
