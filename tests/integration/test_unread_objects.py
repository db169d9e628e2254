"""Objects that request a name, but that no source reads, or that a switch leaves out, are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from extdns import cli
from tests.objects import dns_endpoint, ingress, service
from tests.program.installation import Installation


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    found = Installation(tmp_path, sources=("ingress",), example_org="")
    plain = {**service("plain"), "metadata": {"name": "plain", "namespace": "shop"}}
    found.replace_manifests(
        ingress("front", "front.example.org"), service("web"), plain, dns_endpoint("a"), dns_endpoint("b")
    )
    return found


def test_plan_names_the_objects_of_kinds_that_no_source_reads_and_the_source(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["plan", *installation.flags()], {}) == 2
    output = capsys.readouterr().out
    unread = "DNSEndpoint shop/a and 1 other object may request names, but no --source reads kind DNSEndpoint"
    assert f"{unread}\n  add --source=crd\n" in output
    assert "Service shop/web may request names, but no --source reads kind Service\n  add --source=service\n" in output
    assert cli.main(["plan", *installation.flags("--source=service", "--source=crd")], {}) == 2
    assert "no --source reads" not in capsys.readouterr().out


def test_explain_names_the_objects_of_kinds_that_no_source_reads(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["explain", "web.example.org", *installation.flags()], {})
    assert "Service shop/web may request names, but no --source reads kind Service\n" in capsys.readouterr().out


@pytest.mark.parametrize("spelling", ["dnsendpoint", "DNSEndpoints.externaldns.k8s.io"])
def test_explain_names_the_source_of_an_object_whose_kind_no_source_reads(
    installation: Installation, capsys: pytest.CaptureFixture[str], spelling: str
) -> None:
    assert cli.main(["explain", f"{spelling}/shop/a", *installation.flags()], {}) == 1
    assert "\n  no --source reads kind DNSEndpoint; to read it, add --source=crd\n" in capsys.readouterr().err
    assert cli.main(["explain", "ingress/shop/a", *installation.flags()], {}) == 1
    assert "no --source reads" not in capsys.readouterr().err


def test_plan_and_explain_say_that_a_service_of_type_cluster_ip_requests_a_name(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.replace_manifests(
        ingress("front", "front.example.org"), service("web", type="ClusterIP", clusterIP="10.0.0.1")
    )
    flags = installation.flags("--source=service")
    assert cli.main(["plan", *flags], {}) == 2
    assert "\n1 object requests a name, but --publish-internal-services is not set\n" in capsys.readouterr().out
    cli.main(["explain", "web.example.org", *flags], {})
    assert "\nNext: add --publish-internal-services\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "flag",
    ["--label-filter=a=b", "--annotation-filter=a=b", "--service-type-filter=NodePort", "--domain-filter=x.test"],
)
def test_plan_ends_with_4_whichever_filter_excludes_everything(installation: Installation, flag: str) -> None:
    installation.replace_manifests(service("web"))
    assert cli.main(["plan", *installation.flags("--source=service", flag)], {}) == 4
