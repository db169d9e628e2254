"""The whole program with the providers for Azure, in front of a fake that also gives tokens of a managed identity."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.azure.server import GROUP, SUBSCRIPTION, Azure
from tests.objects import Json, service
from tests.program.installation import USAGE, Installation

GOOD: Json = {"subscriptionId": SUBSCRIPTION, "resourceGroup": GROUP, "useManagedIdentityExtension": True}
LIST, ALL = "GET ZONES", "GET ALL"
NAMES = ["azure", "azure-dns", "azure-private-dns"]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Azure]:
    with Azure() as found:
        monkeypatch.setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", found.url)
        yield found


@pytest.fixture
def install(fake: Azure, tmp_path: Path) -> Callable[..., Installation]:
    """Return a function that makes an installation with a provider, and content of azure.json."""

    def build(provider: str = "azure", **content: object) -> Installation:
        file = tmp_path / "azure.json"
        file.write_text(json.dumps(GOOD | {"resourceManagerEndpoint": fake.url} | content))
        return Installation(
            tmp_path,
            sources=["service", "crd"],
            dns_flags=[f"--provider={provider}", f"--azure-config-file={file}", "--domain-filter=example.org"],
        )

    return build


def take_calls(fake: Azure) -> list[str]:
    found = [call.action for call in fake.calls]
    fake.calls.clear()
    return found


@pytest.mark.parametrize("provider", NAMES)
def test_four_names_take_eight_writes_and_a_second_pass_one_call_for_a_zone(
    fake: Azure, install: Callable[..., Installation], provider: str
) -> None:
    zone = fake.add_zone("example.org", private=provider.endswith("private-dns"))
    installation = install(provider)
    installation.replace_manifests(*(service(f"n{number:02}", address=f"192.0.2.{number}") for number in range(4)))
    assert installation.run_once() == 0
    calls = take_calls(fake)
    assert (calls.count("PUT A"), calls.count("PUT TXT"), calls.count(ALL)) == (4, 4, 2)
    assert len(zone.sets) == (9 if zone.private else 10)
    assert installation.run_once() == 0
    assert take_calls(fake) == [LIST, ALL]
    assert fake.tokens == 2, "one for each process"


@pytest.mark.parametrize("provider", NAMES)
def test_tags_become_metadata_and_ten_more_passes_change_nothing(
    fake: Azure, install: Callable[..., Installation], provider: str
) -> None:
    zone = fake.add_zone("example.org", private=provider.endswith("private-dns"))
    installation = install(provider)
    installation.replace_manifests(service("web", annotations={"azure-tags": "b=2,a=1"}))
    for _ in range(11):
        assert installation.run_once() == 0
    assert [call for call in take_calls(fake) if call.startswith("PUT")] == ["PUT TXT", "PUT A"]
    metadata = [zone.sets[key]["properties"]["metadata"] for key in (("web", "A"), ("a-web", "TXT"))]
    assert metadata == [{"a": "1", "b": "2"}] * 2


@pytest.mark.parametrize("provider", NAMES[1:])
def test_metadata_is_shown_by_plan_and_explain_repaired_changed_and_removed(
    fake: Azure, install: Callable[..., Installation], provider: str, capsys: pytest.CaptureFixture[str]
) -> None:
    zone = fake.add_zone("example.org", private=provider.endswith("private-dns"))
    installation = install(provider)
    for tags, metadata in (("a=1", {"a": "1"}), ("a=2,b=3", {"a": "2", "b": "3"}), ("", {})):
        installation.replace_manifests(service("web", annotations={"azure-tags": tags} if tags else {}))
        assert installation.run_once() == 0
        fake.edit(zone, "web", "A", metadata={"a": "9"} if tags else {})
        for command in (["plan"], ["explain", "web.example.org"]) if tags else ():
            capsys.readouterr()
            cli.main([*command, *installation.flags()], {})
            assert "azure/tags" in capsys.readouterr().out, command
        assert installation.run_once() == 0
        assert zone.sets["web", "A"]["properties"]["metadata"] == metadata
        assert zone.sets["a-web", "TXT"]["properties"]["metadata"] == metadata


@pytest.mark.parametrize(("lock", "word"), [("ReadOnly", "lock"), ("", "AuthorizationFailed")], ids=["lock", "no-role"])
def test_a_zone_that_cannot_be_changed_is_reported_by_name_and_others_go_on(
    fake: Azure, install: Callable[..., Installation], caplog: pytest.LogCaptureFixture, lock: str, word: str
) -> None:
    good, bad = fake.add_zone("example.org"), fake.add_zone("bad.example.org")
    bad.lock, bad.denied = lock, not lock
    installation = install()
    installation.replace_manifests(service("web"), service("no", "no.bad.example.org"))
    installation.run_once()
    assert ("web", "A") in good.sets
    assert ("no", "A") not in bad.sets
    assert any(word in text and "bad.example.org" in text for text in list_log_lines(caplog))


def list_log_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [str(record.__dict__["extdns_fields"]) for record in caplog.records]


def endpoint(host: str, rtype: str, *targets: str) -> Json:
    return {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {
            "name": rtype.lower(),
            "namespace": "shop",
            "uid": rtype,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"endpoints": [{"dnsName": host, "recordType": rtype, "targets": list(targets)}]},
    }


@pytest.mark.parametrize("provider", NAMES[1:])
def test_types_beyond_addresses_are_written_and_read_back(
    fake: Azure, install: Callable[..., Installation], provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    private = provider.endswith("private-dns")
    zones = [fake.add_zone(name, private=private) for name in ("example.org", "2.0.192.in-addr.arpa")]
    installation = install(provider)
    installation.replace_manifests(
        endpoint("1.2.0.192.in-addr.arpa", "PTR", "host.example.net"),
        endpoint("_sip._tcp.example.org", "SRV", "0 5 5060 sip.example.net."),
        endpoint("mx.example.org", "MX", "10 mail.example.net"),
        endpoint("child.example.org", "NS", "ns1.example.net", "ns2.example.net"),
    )
    flags = [f"--managed-record-types={rtype}" for rtype in ("PTR", "SRV", "MX", "NS")]
    for _ in range(2):
        installation.run_once("--domain-filter=in-addr.arpa", *flags)
    made = {key for zone in zones for key in zone.sets if key[0] != "@" and key[1] != "TXT"}
    expected = {("1", "PTR"), ("_sip._tcp", "SRV"), ("mx", "MX")}
    assert made == (expected if private else expected | {("child", "NS")})
    assert len([call for call in take_calls(fake) if call.startswith("PUT")]) == 2 * len(made)
    refused = any("Azure Private DNS does not support NS" in text for text in list_log_lines(caplog))
    assert refused is private


def test_after_a_switch_from_external_dns_nothing_is_written(fake: Azure, install: Callable[..., Installation]) -> None:
    zone = fake.add_zone("example.org")
    text = '"heritage=external-dns,external-dns/owner=me,external-dns/resource=service/shop/web"'
    for name, rtype, records in (
        ("Web", "A", [{"ipv4Address": "192.0.2.1"}]),
        ("a-Web", "TXT", [{"value": [text]}]),
        ("txt", "TXT", [{"value": ["v=spf1 -all"]}]),
    ):
        fake.put(zone, name, rtype, records, metadata={"b": "2", "a": "1"})
    installation = install()
    installation.replace_manifests(service("web", annotations={"azure-tags": "a=1,b=2"}))
    assert installation.run_once() == 0
    assert take_calls(fake) == [LIST, ALL]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"subscriptionId": ""}, "subscriptionId is missing; add it, or give --azure-subscription-id"),
        ({"resourceGroup": None}, "resourceGroup is missing; add it, or give --azure-resource-group"),
        ({"cloud": "AzureMoonCloud"}, "cloud is 'AzureMoonCloud'; allowed: AzureCloud,"),
        ({"useManagedIdentityExtension": False}, "no credentials; give aadClientId"),
        ({"useManagedIdentityExtension": "yes"}, "Expected `bool`, got `str` - at `$.useManagedIdentityExtension`"),
        ({"aadClientId": "a", "aadClientSecret": "b"}, "aadClientId and aadClientSecret need tenantId"),
        ({"useWorkloadIdentityExtension": True}, "AZURE_FEDERATED_TOKEN_FILE is not set"),
        ({"cloud": "azurestackcloud"}, "AzureStackCloud needs activeDirectoryAuthorityHost"),
    ],
)
def test_what_is_wrong_in_the_file_is_said_with_the_key_and_what_to_do(
    install: Callable[..., Installation], content: Json, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(install(**content).flags("--once"), {}) == USAGE
    assert re.search(rf"--azure-config-file=\S+azure\.json: .*{re.escape(text)}", capsys.readouterr().err)
