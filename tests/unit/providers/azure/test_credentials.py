"""Which credential azure.json chooses, and the tokens that azure-identity gets with it from an authority with TLS."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from extdns.errors import UsageError
from providers.azure.configuration import AzureConfig, CredentialKind, find_unknown_keys, read_config
from providers.azure.credentials import IdentityTokens, require_identity
from providers.azure.flags import AzureFlags
from providers.common.api_calls import CallFailedError
from tests.fakes.service.answers import Answer
from tests.fakes.service.listener import Request
from tests.fakes.service.server import FakeService

WORKLOAD = {"AZURE_CLIENT_ID": "client", "AZURE_TENANT_ID": "tenant", "AZURE_FEDERATED_TOKEN_FILE": "/token"}
SECRET = {"tenantId": "tenant", "aadClientId": "client", "aadClientSecret": "the-secret"}
JSON = {"Content-Type": "application/json"}


class Authority(FakeService):
    """Gives a token for the right secret or assertion. *requests* are the forms that it received."""

    def __init__(self) -> None:
        super().__init__(tls=True)
        self.requests: list[dict[str, str]] = []

    def _respond(self, request: Request) -> Answer:
        if request.method == "GET":
            base = f"{self.url}/tenant"
            found = {
                "issuer": base,
                "authorization_endpoint": f"{base}/a",
                "token_endpoint": f"{base}/oauth2/v2.0/token",
            }
            return Answer(status=200, body=json.dumps(found).encode(), headers=JSON)
        form = {key: values[-1] for key, values in parse_qs(request.body.decode()).items()}
        self.requests.append(form)
        if "the-secret" not in {form.get("client_secret"), form.get("client_assertion")}:
            error = {"error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret provided."}
            return Answer(status=401, body=json.dumps(error).encode(), headers=JSON)
        token = {"access_token": f"token {len(self.requests)}", "expires_in": 3600, "token_type": "Bearer"}
        return Answer(status=200, body=json.dumps(token).encode(), headers=JSON)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    with Authority() as found:
        (tmp_path / "ca.pem").write_bytes(found.ca)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
        yield found


def build_config(authority: Authority, **content: object) -> AzureConfig:
    return AzureConfig(activeDirectoryAuthorityHost=authority.url, **content)  # type: ignore[arg-type]


def test_a_client_secret_gives_a_token_that_is_kept_until_it_is_refused(authority: Authority) -> None:
    tokens = IdentityTokens(build_config(authority, **SECRET))
    assert [tokens.get(), tokens.get()] == ["token 1", "token 1"]
    tokens.forget()
    assert tokens.get() == "token 2"
    assert authority.requests[0]["scope"] == "https://management.azure.com/.default"


def test_workload_identity_sends_the_token_of_its_service_account(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("the-secret")
    for name, value in {**WORKLOAD, "AZURE_FEDERATED_TOKEN_FILE": str(tmp_path / "token")}.items():
        monkeypatch.setenv(name, value)
    tokens = IdentityTokens(build_config(authority, useWorkloadIdentityExtension=True, aadClientId="of the file"))
    assert tokens.get() == "token 1"
    assert authority.requests[0]["client_id"] == "of the file"


def test_a_wrong_secret_is_reported_by_code_and_without_the_secret(authority: Authority) -> None:
    tokens = IdentityTokens(build_config(authority, **SECRET | {"aadClientSecret": "another-secret"}))
    with pytest.raises(CallFailedError, match=r"AADSTS7000215.*with a client secret") as error:
        tokens.get()
    assert "another-secret" not in str(error.value)


def test_without_azure_identity_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure", None)
    with pytest.raises(UsageError, match=re.escape("pip install 'extdns[azure]'")):
        require_identity()


@pytest.mark.parametrize(
    ("content", "environ", "expected"),
    [
        (SECRET | {"useWorkloadIdentityExtension": True}, WORKLOAD, CredentialKind.SECRET),
        (SECRET | {"aadClientSecret": "msi", "useManagedIdentityExtension": True}, {}, CredentialKind.MANAGED),
        (
            {"useWorkloadIdentityExtension": True, "useManagedIdentityExtension": True},
            WORKLOAD,
            CredentialKind.WORKLOAD,
        ),
        ({"useWorkloadIdentityExtension": True}, {}, "AZURE_CLIENT_ID, AZURE_TENANT_ID, AZURE_FEDERATED_TOKEN_FILE is"),
        (SECRET | {"tenantId": ""}, {}, "need tenantId"),
        ({}, WORKLOAD, "no credentials"),
    ],
)
def test_credentials_are_chosen_in_the_order_of_external_dns(
    content: dict[str, object], environ: dict[str, str], expected: str
) -> None:
    config = AzureConfig(**content)  # type: ignore[arg-type]
    if isinstance(expected, CredentialKind):
        assert config.choose_credential(environ) is expected
        return
    with pytest.raises(UsageError, match=expected):
        config.choose_credential(environ)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, "https://management.azure.com"),
        ({"cloud": "azureusgovernment"}, "https://management.usgovcloudapi.net"),
        ({"cloud": "AzureChinaCloud"}, "https://management.chinacloudapi.cn"),
        ({"resourceManagerEndpoint": "https://arm.example/"}, "https://arm.example"),
    ],
)
def test_the_cloud_decides_where_azure_is_unless_an_address_overrides_it(
    content: dict[str, str], expected: str
) -> None:
    assert AzureConfig(**content).find_cloud().url == expected  # type: ignore[arg-type]


def test_flags_override_the_file_whose_keys_have_any_case(tmp_path: Path) -> None:
    file = tmp_path / "azure.json"
    file.write_text(
        '{"SubscriptionID": "s", "resourcegroup": "g", "vmType": "vmss", "Location": "x", "tennantId": "t", '
        '"\\u001b[2Jx": ""}'
    )
    found = read_config(AzureFlags(azure_config_file=str(file), azure_resource_group="other"))
    assert (found.subscriptionId, found.resourceGroup, found.tenantId) == ("s", "other", "")
    assert find_unknown_keys(str(file)) == (r"\x1b[2Jx", "tennantId")


@pytest.mark.parametrize(
    ("content", "text"),
    [("", "is not JSON"), ("[]", "is not a JSON object"), ("[" * 100_000, "is not JSON"), (None, "cannot be read")],
)
def test_what_is_wrong_with_a_file_that_cannot_be_used_is_said(tmp_path: Path, content: str | None, text: str) -> None:
    file = tmp_path / "azure.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(UsageError, match=f"^the file {text}"):
        read_config(AzureFlags(azure_config_file=str(file)))
