"""external-dns continues with the table of DynamoDB, and with the DNSRecords, that extdns wrote.

moto cannot insert items as external-dns does, so the reverse is tested with DNSRecords only.
"""

from __future__ import annotations

import os
import subprocess
from itertools import count
from pathlib import Path
from typing import Any, Final

import boto3
import pytest

from tests.dynamodb import connect, create_table
from tests.kubernetes.cluster import Cluster
from tests.objects import ingress
from tests.program.process import once
from tests.required_programs import require_program

_NUMBERS: Final = count(1)


class Site:
    """A zone and a table in moto, and Services in a cluster."""

    def __init__(self, moto: str, server: Cluster, folder: Path, registry: str) -> None:
        self.server = server
        self.zone = f"z{next(_NUMBERS)}.test"
        self._env = connect(moto)
        self._route53: Any = boto3.client(
            "route53", endpoint_url=moto, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="y"
        )
        self._id = self._route53.create_hosted_zone(Name=self.zone, CallerReference=self.zone)["HostedZone"]["Id"]
        self._table = self.zone.replace(".", "-")
        self._dynamodb = create_table(moto, self._table)
        self._flags = (
            f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}",
            *("--source=ingress", "--provider=aws", "--policy=sync", f"--registry={registry}", "--txt-owner-id=me"),
            *(
                f"--dynamodb-table={self._table}",
                "--once",
                f"--domain-filter={self.zone}",
            ),
            "--metrics-address=127.0.0.1:0",
        )

    def run_external_dns(self, *more: str) -> str:
        program = require_program("rows beside external-dns", "external-dns-0.22")
        env = {**os.environ, **self._env, "AWS_EC2_METADATA_DISABLED": "true"}
        done = subprocess.run(
            [program, *self._flags, *more], env=env, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    def run_extdns(self, *more: str) -> str:
        done = once(*self._flags, *more, env=self._env)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def read(self) -> tuple[list[Any], list[Any]]:
        sets = self._route53.list_resource_record_sets(HostedZoneId=self._id)["ResourceRecordSets"]
        items = sorted(self._dynamodb.scan(TableName=self._table)["Items"], key=str)
        specs = [one["spec"] for one in self.server.objects("DNSRecord")]
        items += [spec for spec in specs if spec["endpoint"]["dnsName"].endswith(self.zone)]
        return [one for one in sets if one["Type"] not in {"NS", "SOA"}], items


@pytest.fixture(params=["dynamodb", "crd"])
def site(request: pytest.FixtureRequest, moto: str, cluster: Cluster, tmp_path: Path) -> Site:
    found = Site(moto, cluster, tmp_path, request.param)
    cluster.create_namespace("shop")
    for name in ("api", "web"):
        cluster.put(ingress(name, f"{name}.{found.zone}"))
    return found


def test_external_dns_continues_the_rows_of_extdns(site: Site) -> None:
    site.run_extdns()
    before = site.read()
    assert (len(before[0]), len(before[1])) == (2, 2)
    assert "All records are already up to date" in site.run_external_dns()
    assert site.read() == before


@pytest.mark.parametrize("site", ["crd"], indirect=True)
def test_extdns_continues_the_rows_of_external_dns(site: Site) -> None:
    site.run_external_dns()
    before = site.read()
    assert (len(before[0]), len(before[1])) == (2, 2)
    assert "already up to date" in site.run_extdns()
    assert site.read() == before
