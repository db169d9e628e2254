"""The fake Route 53 in a separate process."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from tests.fakes.route53.process import run_commands, run_process
from tests.fakes.route53.server import Route53
from tests.unit.fakes.route53.raw_client import build_client, build_simple


def test_the_fake_service_runs_in_its_own_process_and_accepts_commands() -> None:
    with run_process("--zone", "example.com", "--action-rate", "10:50", "--latency-ms", "1") as remote:
        zone_id = remote.add_zone("example.net", records=[build_simple("a.example.net")], tags={"team": "a"})
        remote.put(zone_id, [build_simple("b.example.net", ttl=60)])
        there = build_client(remote.url)
        assert len(there.list_hosted_zones()["HostedZones"]) == 2
        remote.refuse(503, "ServiceUnavailable")
        with pytest.raises(ClientError, match="ServiceUnavailable"):
            there.list_hosted_zones()
        remote.drop(worked=True)
        with pytest.raises(ConnectionClosedError):
            there.list_hosted_zones()
        changes: list[Any] = [{"Action": "DELETE", "ResourceRecordSet": build_simple("a.example.net")}]
        there.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": changes})
        assert remote.shown(zone_id) == [build_simple("b.example.net.", ttl=60)]
        calls = remote.calls(clear=True)
        assert [(call["action"], call["status"]) for call in calls] == [
            ("ListHostedZones", 200),
            ("ListHostedZones", 503),
            ("ListHostedZones", 0),
            ("ChangeResourceRecordSets", 200),
        ]
        assert calls[-1]["changes"] == [["DELETE", "a.example.net.", "A"]]
        assert calls[-1]["answered_s"] > calls[-1]["came_s"]
        assert remote.calls() == []


def test_an_unknown_command_ends_the_process_of_the_fake_service() -> None:
    with pytest.raises(SystemExit, match="no order: dance"):
        run_commands(Route53(), ['{"order": "dance"}'], print)
