"""extdns with the Route 53 of moto, the emulator that people try first; LocalStack serves it, too."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import boto3
import pytest

from tests.integration.test_how_to import ROOT, replace_outputs
from tests.program.process import once

# It ends when its standard input does, so that it does not outlive the tests.
SERVER: Final = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://{}:{}".format(*server.get_host_and_port()), flush=True)
sys.stdin.read()
"""
TUTORIAL: Final = ROOT / "docs" / "tutorials" / "emulator.md"
ANNOTATION: Final = "external-dns.kubernetes.io/"
FLAGS: Final = (
    *("--source=service", "--source=ingress", "--domain-filter=acme.test", "--provider=aws", "--policy=sync"),
    *("--aws-zone-type=public", "--registry=txt", "--txt-owner-id=me"),
    *("--manifests=-", "--once", "--metrics-address=127.0.0.1:0"),
)
WITHOUT_FILES: Final = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


class MotoZone:
    """A zone in moto, and extdns with the flags of the tutorial."""

    def __init__(self, url: str) -> None:
        self._service: Any = boto3.client(
            "route53", endpoint_url=url, aws_access_key_id="x", aws_secret_access_key="y", region_name="us-east-1"
        )
        self._id = self._service.create_hosted_zone(Name="acme.test", CallerReference="1")["HostedZone"]["Id"]
        self._env = {**WITHOUT_FILES, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_ENDPOINT_URL": url}

    def publish(self, **addresses: str) -> str:
        """Publish the addresses of hosts, or of `host__set`, and return the log. Check the exit code and the zone."""
        services = "---\n".join(map(build_service, addresses, addresses.values()))
        done = once(*FLAGS, stdin=services, env=self._env)
        assert done.returncode == 0, done.stderr
        sets = self._service.list_resource_record_sets(HostedZoneId=self._id)["ResourceRecordSets"]
        published = {
            format_key(one): one["ResourceRecords"][0]["Value"] for one in sets if one["Type"] in {"A", "CNAME"}
        }
        assert published == addresses
        assert sum(one["Type"] == "TXT" for one in sets) == len(addresses)
        return done.stderr


def format_key(one: dict[str, Any]) -> str:
    return "__".join(filter(None, (one["Name"].split(".")[0], one.get("SetIdentifier"))))


def build_service(key: str, address: str) -> str:
    host, _, set_identifier = key.partition("__")
    routing = {f"{ANNOTATION}set-identifier": set_identifier, f"{ANNOTATION}aws-weight": "1"} if set_identifier else {}
    annotations = {f"{ANNOTATION}hostname": f"{host}.acme.test", **routing}
    metadata = {"name": f"{host}{set_identifier}", "namespace": "shop", "uid": key, "annotations": annotations}
    ingress = [{"ip" if address[0].isdecimal() else "hostname": address}]
    kind = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"type": "LoadBalancer"}}
    return json.dumps({**kind, "status": {"loadBalancer": {"ingress": ingress}}}) + "\n"


@pytest.fixture
def moto() -> Iterator[str]:
    """Run moto's server in a process of its own, and return its URL."""
    pipe = subprocess.PIPE
    command = (sys.executable, "-c", SERVER)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture
def zone(moto: str) -> MotoZone:
    return MotoZone(moto)


def test_records_in_moto_follow_every_change_of_the_objects(zone: MotoZone) -> None:
    zone.publish(web="192.0.2.1")
    assert "already up to date" in zone.publish(web="192.0.2.1")
    assert zone.publish(web="192.0.2.9").count("An emulator of Route 53 refuses") == 1
    assert "already up to date" in zone.publish(web="192.0.2.9")
    for address in ("192.0.2.1", "lb.example.net", "192.0.2.1", "lb.example.net", "192.0.2.9"):
        zone.publish(web=address)
    zone.publish(web="192.0.2.2", www="192.0.2.2")


def test_a_host_that_was_deleted_in_moto_is_created_again_beside_a_host_that_sorts_after_it(zone: MotoZone) -> None:
    zone.publish(api="192.0.2.2", web="192.0.2.1", zz="192.0.2.3")
    zone.publish(api="192.0.2.2", zz="192.0.2.3")
    zone.publish(api="192.0.2.2", web="192.0.2.1", zz="192.0.2.3")
    assert "already up to date" in zone.publish(api="192.0.2.2", web="192.0.2.1", zz="192.0.2.3")


def test_weighted_sets_in_moto_are_updated_deleted_and_created_again(zone: MotoZone) -> None:
    zone.publish(w__blue="192.0.2.1", w__green="192.0.2.2")
    zone.publish(w__blue="192.0.2.9", w__green="192.0.2.2")
    zone.publish(w__green="192.0.2.2")
    zone.publish(w__blue="192.0.2.1", w__green="192.0.2.2")


def test_every_command_of_the_tutorial_prints_what_the_page_shows(moto: str, tmp_path: Path) -> None:
    page = TUTORIAL.read_text(encoding="utf-8")
    exported = dict(re.findall(r"(AWS_\w+)=(\S+)", page))
    made = replace_outputs(page, tmp_path, **{**WITHOUT_FILES, **exported, "AWS_ENDPOINT_URL": moto})
    if os.environ.get("UPDATE_GOLDEN"):
        TUTORIAL.write_text(made, encoding="utf-8")
    assert made == page
