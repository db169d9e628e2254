"""The SDK's edge: credentials, endpoints, and nothing of the SDK beyond it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from extdns.model.request import UNANSWERED, Request
from providers.google.client import Client
from providers.google.settings import GoogleSettings
from providers.google.wire import RecordSet
from providers.remote.failure import CallFailedError, Trouble
from providers.remote.writing import Writing
from tests.clouddns import client
from tests.fakes.clouddns.server import PROJECT, TOKEN, CloudDns
from tests.fakes.service.faults import Drop, Refuse

ADDED = [RecordSet(name="www.example.org.", type="A", ttl_s=300, values=("192.0.2.1",))]


@pytest.fixture(scope="session")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment in which no credentials are found, nor asked for beyond this machine."""
    google = ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")
    for name in (*google, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    return monkeypatch


def key_file(folder: Path, key: str, token_uri: str) -> Path:
    """The key of a service account."""
    file = folder / "key.json"
    facts = {"type": "service_account", "project_id": PROJECT, "private_key_id": "1", "private_key": key}
    facts |= {"client_email": "extdns@example.iam.gserviceaccount.com", "client_id": "1", "token_uri": token_uri}
    file.write_text(json.dumps(facts))
    return file


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_a_service_accounts_key_gives_a_token_and_the_project(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, variable: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        fake.add_zone("example.org", name="main")
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv(variable, str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        account = client(fake, GoogleSettings(endpoint=f"{fake.url}/"))
        assert [zone.name for zone in account.zones()[0]] == ["main"]


def test_to_an_endpoint_that_is_not_encrypted_no_credentials_are_sent(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, fake: CloudDns
) -> None:
    bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
    fake.locked = True
    with pytest.raises(CallFailedError, match="authError") as caught:
        client(fake).zones()
    assert caught.value.trouble is Trouble.CREDENTIALS
    assert TOKEN not in str(caught.value)


def test_without_credentials_the_message_says_so_and_the_next_call_looks_again(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        account = client(fake, GoogleSettings(endpoint=fake.url))
        with pytest.raises(CallFailedError, match="DefaultCredentialsError") as caught:
            account.zones()
        assert caught.value.trouble is Trouble.CREDENTIALS
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        assert account.zones() == ((), 1)


def test_a_key_that_no_longer_counts_is_read_again_by_the_next_call(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/revoked")))
        account = client(fake, GoogleSettings(endpoint=fake.url))
        with pytest.raises(CallFailedError, match="RefreshError") as caught:
            account.zones()
        assert caught.value.trouble is Trouble.CREDENTIALS
        key_file(tmp_path, key, f"{fake.url}/token")
        assert account.zones() == ((), 1)


def test_a_project_that_nothing_names_is_asked_for(bare: pytest.MonkeyPatch, fake: CloudDns) -> None:
    bare.setenv("GOOGLE_CLOUD_PROJECT", "")
    with pytest.raises(CallFailedError, match="name one with --google-project"):
        client(fake, GoogleSettings(endpoint=fake.url)).zones()


def test_an_unknown_authority_is_not_trusted_and_nothing_was_sent(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True) as fake, CloudDns() as tokens:
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{tokens.url}/token")))
        with pytest.raises(CallFailedError, match="SSLError") as caught:
            client(fake, GoogleSettings(endpoint=fake.url)).change("main", "zone main", ADDED, [])
        assert caught.value.trouble is Trouble.LATER
        assert fake.log.calls() == ()


def test_every_failure_is_ours_with_the_original_as_its_cause(fake: CloudDns, project: Client) -> None:
    fake.faults.arm(Refuse(403, "forbidden", "Forbidden"))
    with pytest.raises(CallFailedError) as caught:
        project.limits()
    assert str(caught.value) == "dns.projects.get: forbidden: Forbidden"
    assert type(caught.value.__cause__).__module__.startswith("google.")
    fake.faults.arm(Drop(), times=None)
    with pytest.raises(CallFailedError) as caught:
        project.limits()
    assert caught.value.trouble is Trouble.UNANSWERED
    assert type(caught.value.__cause__).__module__.startswith("requests.")


def test_an_answer_that_is_none_of_the_services_leaves_open_what_happened(project: Client, fake: CloudDns) -> None:
    fake.add_zone("example.org", name="main")
    fake.api.quota = {"rrsetAdditionsPerChange": "many"}
    with pytest.raises(CallFailedError, match="ValueError") as caught:
        project.limits()
    assert caught.value.trouble is Trouble.UNANSWERED


def test_throttling_slows_calls_down_and_success_speeds_them_up(fake: CloudDns, project: Client) -> None:
    fake.faults.arm(Refuse(429, "rateLimitExceeded"))
    with pytest.raises(CallFailedError) as caught:
        project.zones()
    assert caught.value.trouble is Trouble.LATER
    allowance = project._allowance
    before_s = allowance._monotonic_s()
    project.zones()
    assert allowance._monotonic_s() > before_s


def test_a_change_is_asked_for_with_additions_and_deletions_that_there_are(fake: CloudDns, project: Client) -> None:
    fake.add_zone("example.org", name="main")
    assert project.change("main", "zone main", ADDED, []) == "1"
    (call,) = fake.log.calls("changes.create")
    assert call.body == {
        "kind": "dns#change",
        "additions": [
            {
                "kind": "dns#resourceRecordSet",
                "name": "www.example.org.",
                "type": "A",
                "ttl": 300,
                "rrdatas": ["192.0.2.1"],
            }
        ],
    }


@pytest.mark.parametrize(
    ("leads", "sent"),
    [
        pytest.param([True, True], 2, id="who-still-leads-sends-it-again"),
        pytest.param([True, False], 1, id="who-does-not-any-more-leaves-it"),
    ],
)
def test_a_change_whose_token_ran_out_is_sent_with_another_one_only_while_we_may_write(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, leads: list[bool], sent: int
) -> None:
    left = list(leads)
    with CloudDns(tls=True, locked=True) as fake:
        fake.add_zone("example.org", name="main")
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        account = client(fake, GoogleSettings(endpoint=fake.url, writing=Writing(may_begin=lambda: left.pop(0))))
        fake.faults.arm(Refuse(401, "authError"), action="changes.create")
        if all(leads):
            assert account.change("main", "zone main", ADDED, []) == "1"
        else:
            with pytest.raises(CallFailedError, match="NotLeading") as caught:
                account.change("main", "zone main", ADDED, [])
            assert caught.value.trouble is Trouble.LATER
        assert len(fake.log.calls("changes.create")) == sent
        assert left == []


def test_each_request_is_told_whether_answered_or_not(fake: CloudDns) -> None:
    told: list[Request] = []
    account = client(fake, GoogleSettings(project=PROJECT, endpoint=fake.url, heard=told.append))
    account.zones()
    fake.faults.arm(Drop(), times=2)
    with pytest.raises(CallFailedError):
        account.zones()
    assert {f"{one.scheme}://{one.host}" for one in told} == {fake.url}
    assert [(one.method, one.path, one.status) for one in told] == [
        ("GET", "managedZones", 200),
        ("GET", "managedZones", UNANSWERED),
        ("GET", "managedZones", UNANSWERED),
    ]
