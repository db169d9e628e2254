"""The service in a process of its own."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from tests.fakes.route53.probe import client, simple
from tests.fakes.route53.process import obey, serving
from tests.fakes.route53.server import Route53


def test_it_serves_and_obeys_orders() -> None:
    with serving("--zone", "example.com", "--action-rate", "10:50", "--latency-ms", "1") as remote:
        zone_id = remote.add_zone("example.net", records=[simple("a.example.net")], tags={"team": "a"})
        remote.put(zone_id, [simple("b.example.net", ttl=60)])
        there = client(remote.url)
        assert len(there.list_hosted_zones()["HostedZones"]) == 2
        remote.refuse(503, "ServiceUnavailable")
        with pytest.raises(ClientError, match="ServiceUnavailable"):
            there.list_hosted_zones()
        remote.drop(worked=True)
        with pytest.raises(ConnectionClosedError):
            there.list_hosted_zones()
        changes: list[Any] = [{"Action": "DELETE", "ResourceRecordSet": simple("a.example.net")}]
        there.change_resource_record_sets(HostedZoneId=zone_id, ChangeBatch={"Changes": changes})
        assert remote.shown(zone_id) == [simple("b.example.net.", ttl=60)]
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


def test_an_unknown_order_ends_it() -> None:
    with pytest.raises(SystemExit, match="no order: dance"):
        obey(Route53(), ['{"order": "dance"}'], print)
