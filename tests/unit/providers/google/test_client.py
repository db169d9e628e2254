"""Calls of Cloud DNS: credentials, endpoints, and the errors that are translated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from extdns.model.api_request import UNANSWERED, ApiCall, ApiRequest
from extdns.model.change import Outcome, Refused, WriteConflict
from providers.common.api_calls import CallFailedError, CallOptions, FailureKind
from providers.google.client import CloudDnsApi
from providers.google.provider import build_outcome
from providers.google.record_sets import CloudDnsRecordSet
from providers.google.settings import GoogleSettings
from tests.clouddns import client
from tests.fakes.clouddns.server import PROJECT, TOKEN, CloudDns
from tests.fakes.service.faults import Drop, Refuse
from tests.unit.providers.google.cloud_dns_values import ZONE

ADDED = [CloudDnsRecordSet(name="www.example.org.", type="A", ttl_s=300, values=("192.0.2.1",))]


@pytest.fixture(scope="session")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Remove credentials from the environment, and prevent requests to other hosts for credentials."""
    google = ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")
    for name in (*google, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    return monkeypatch


def key_file(folder: Path, key: str, token_uri: str) -> Path:
    """Write a key file of a service account into *folder*, and return its path."""
    file = folder / "key.json"
    claims = {"type": "service_account", "project_id": PROJECT, "private_key_id": "1", "private_key": key}
    claims |= {"client_email": "extdns@example.iam.gserviceaccount.com", "client_id": "1", "token_uri": token_uri}
    file.write_text(json.dumps(claims))
    return file


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_a_service_account_key_provides_access_token_and_project(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, variable: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        fake.add_zone("example.org", name="main")
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv(variable, str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        account = client(fake, GoogleSettings(endpoint=f"{fake.url}/"))
        assert [zone.name for zone in account.list_zones()[0]] == ["main"]


def test_no_credentials_are_sent_to_an_unencrypted_endpoint(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, fake: CloudDns
) -> None:
    bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
    fake.locked = True
    with pytest.raises(CallFailedError, match="authError") as caught:
        client(fake).list_zones()
    assert caught.value.kind is FailureKind.CREDENTIALS
    assert TOKEN not in str(caught.value)


def test_missing_credentials_are_reported_and_searched_again_by_the_next_call(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        account = client(fake, GoogleSettings(endpoint=fake.url))
        with pytest.raises(CallFailedError, match="DefaultCredentialsError") as caught:
            account.list_zones()
        assert caught.value.kind is FailureKind.CREDENTIALS
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        assert account.list_zones() == ((), 1)


def test_a_key_file_is_read_again_by_the_next_call_after_its_key_was_revoked(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True, locked=True) as fake:
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/revoked")))
        account = client(fake, GoogleSettings(endpoint=fake.url))
        with pytest.raises(CallFailedError, match="RefreshError") as caught:
            account.list_zones()
        assert caught.value.kind is FailureKind.CREDENTIALS
        key_file(tmp_path, key, f"{fake.url}/token")
        assert account.list_zones() == ((), 1)


def test_a_missing_project_is_reported_with_the_flag_to_set(bare: pytest.MonkeyPatch, fake: CloudDns) -> None:
    bare.setenv("GOOGLE_CLOUD_PROJECT", "")
    with pytest.raises(CallFailedError, match="set --google-project"):
        client(fake, GoogleSettings(endpoint=fake.url)).list_zones()


def test_nothing_is_sent_to_a_server_with_a_certificate_of_an_unknown_authority(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    with CloudDns(tls=True) as fake, CloudDns() as tokens:
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{tokens.url}/token")))
        with pytest.raises(CallFailedError, match="SSLError") as caught:
            client(fake, GoogleSettings(endpoint=fake.url)).create_change(ZONE, ADDED, [])
        assert caught.value.kind is FailureKind.RETRYABLE
        assert fake.log.calls() == ()


def test_every_error_is_raised_as_call_failed_error_with_its_cause(fake: CloudDns, project: CloudDnsApi) -> None:
    fake.faults.arm(Refuse(403, "forbidden", "Forbidden"))
    with pytest.raises(CallFailedError) as caught:
        project.get_limits()
    assert str(caught.value) == "dns.projects.get: forbidden: Forbidden"
    assert type(caught.value.__cause__).__module__.startswith("requests.")
    fake.faults.arm(Drop(), times=None)
    with pytest.raises(CallFailedError) as caught:
        project.get_limits()
    assert caught.value.kind is FailureKind.UNANSWERED
    assert type(caught.value.__cause__).__module__.startswith("requests.")


def test_a_response_that_cannot_be_read_counts_as_no_response(project: CloudDnsApi, fake: CloudDns) -> None:
    fake.add_zone("example.org", name="main")
    fake.api.quota = {"rrsetAdditionsPerChange": "many"}
    with pytest.raises(CallFailedError, match="ValueError") as caught:
        project.get_limits()
    assert caught.value.kind is FailureKind.UNANSWERED


def test_throttling_by_cloud_dns_delays_the_next_call(fake: CloudDns, project: CloudDnsApi) -> None:
    fake.faults.arm(Refuse(429, "rateLimitExceeded"))
    with pytest.raises(CallFailedError) as caught:
        project.list_zones()
    assert caught.value.kind is FailureKind.RETRYABLE
    limiter = project.rate_limiter
    before_s = limiter._monotonic_s()
    project.list_zones()
    assert limiter._monotonic_s() > before_s


@pytest.mark.parametrize(
    ("is_leader", "sent"),
    [
        pytest.param([True, True], 2, id="leader-sends-again"),
        pytest.param([True, False], 1, id="former-leader-does-not-send"),
    ],
)
def test_a_change_refused_for_an_expired_token_is_sent_again_only_if_this_process_still_leads(
    bare: pytest.MonkeyPatch, tmp_path: Path, key: str, is_leader: list[bool], sent: int
) -> None:
    left = list(is_leader)
    with CloudDns(tls=True, locked=True) as fake:
        fake.add_zone("example.org", name="main")
        (tmp_path / "ca.pem").write_bytes(fake.ca)
        bare.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        bare.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key_file(tmp_path, key, f"{fake.url}/token")))
        account = client(fake, GoogleSettings(endpoint=fake.url, calls=CallOptions(can_write=lambda: left.pop(0))))
        fake.faults.arm(Refuse(401, "authError"), action="changes.create")
        if all(is_leader):
            assert account.create_change(ZONE, ADDED, []) == "1"
        else:
            with pytest.raises(CallFailedError, match="NotLeading") as caught:
                account.create_change(ZONE, ADDED, [])
            assert caught.value.kind is FailureKind.RETRYABLE
        assert len(fake.log.calls("changes.create")) == sent
        assert left == []


def test_each_http_request_is_reported_also_if_it_has_no_response(fake: CloudDns) -> None:
    reported: list[ApiRequest] = []
    account = client(
        fake, GoogleSettings(project=PROJECT, endpoint=fake.url, calls=CallOptions(on_request=reported.append))
    )
    account.list_zones()
    fake.faults.arm(Drop(), times=2)
    with pytest.raises(CallFailedError):
        account.list_zones()
    assert {one.url.startswith(f"{fake.url}/") for one in reported} == {True}
    assert [(one.method, one.url.partition("?")[0].rpartition("/")[2], one.status) for one in reported] == [
        ("GET", "managedZones", 200),
        ("GET", "managedZones", UNANSWERED),
        ("GET", "managedZones", UNANSWERED),
    ]


def test_each_call_is_reported_once_with_its_kind_of_failure(fake: CloudDns) -> None:
    reported: list[ApiCall] = []
    account = client(
        fake, GoogleSettings(project=PROJECT, endpoint=fake.url, calls=CallOptions(on_call=reported.append))
    )
    account.list_zones()
    fake.faults.arm(Refuse(403, "forbidden"))
    with pytest.raises(CallFailedError):
        account.list_zones()
    assert [(call.action, call.status) for call in reported] == [
        ("managedZones.list", "ok"),
        ("managedZones.list", "forbidden"),
    ]


# Turn error responses of Cloud DNS into outcomes (guide "Error messages")


ADDITIONS = [
    CloudDnsRecordSet(name=f"{label}.example.org.", type="A", ttl_s=300, values=("192.0.2.1",)) for label in ("a", "b")
]
DELETED = [CloudDnsRecordSet(name="old.example.org.", type="TXT", ttl_s=300, values=('"x"',))]


def find_outcome(*parts: str, code: str = "invalid") -> Outcome:
    failed = CallFailedError(
        FailureKind.REFUSED, "dns.changes.create", "zone z", code, "; ".join(parts), messages=parts
    )
    return build_outcome(failed, ADDITIONS, DELETED)


@pytest.mark.parametrize(
    ("message", "culprit"),
    [
        pytest.param("Precondition not met for 'entity.change.deletions[0]'", "old.example.org", id="412"),
        pytest.param(
            "The 'entity.change.deletions[0]' resource named 'old.example.org. (TXT)' does not exist.",
            "old.example.org",
            id="404",
        ),
        pytest.param(
            "The resource 'entity.change.additions[1]' named 'b.example.org. (A)' already exists",
            "b.example.org",
            id="409-by-place",
        ),
        pytest.param(
            "The resource 'entity.change.additions[b.example.org.][A]' named 'b.example.org. (A)' already exists",
            "b.example.org",
            id="409-by-name",
        ),
    ],
)
def test_an_error_about_a_record_set_that_changed_becomes_a_write_conflict_with_its_name(
    message: str, culprit: str
) -> None:
    found = find_outcome(message)
    assert isinstance(found, WriteConflict)
    assert found.offending_names == (culprit,)


@pytest.mark.parametrize(
    "complaint",
    [
        pytest.param("Invalid value for 'entity.change.additions[1].rrdata[2]': 'ns.example'", id="invalid"),
        pytest.param(
            "The resource record set 'entity.change.additions[1]' is invalid because the DNS name 'b.example.org.' may "
            "have either one CNAME resource record set or resource record sets of other types, but not both.",
            id="cnameResourceRecordSetConflict",
        ),
        pytest.param(
            "The resource record set 'entity.change.additions[b.example.org.][A]' is only permitted to have one record "
            "because it is of type CNAME.",
            id="invalidRecordCount",
        ),
    ],
)
def test_an_error_about_an_invalid_record_set_becomes_a_refusal_with_its_name(complaint: str) -> None:
    found = find_outcome(complaint)
    assert isinstance(found, Refused)
    assert found.offending_names == ("b.example.org",)


@pytest.mark.parametrize(
    "text",
    [
        "parameters.managedZone",
        "'parameters.managedZone'",
        "x already exists",
        "x' already exists",
        "' named 'x' already exists",
        "Precondition not met",
        "'entity.change.additions[0]' named 'a.example.org. (A)' already exists",
        "'entity.change.deletions[0]' resource named 'old.example.org. (TXT)' does not exist",
    ],
)
def test_a_value_of_a_user_that_an_error_quotes_is_not_read_as_another_error(text: str) -> None:
    path = "entity.change.additions[1].routingPolicy.geo.items[0].location"
    found = find_outcome(f"Invalid value for '{path}': '{text}'")
    assert isinstance(found, Refused)
    assert found.offending_names == ("b.example.org",)


def test_an_error_with_a_write_conflict_and_other_problems_becomes_a_write_conflict() -> None:
    found = find_outcome(
        "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'",
        "Precondition not met for 'entity.change.deletions[0]'",
    )
    assert isinstance(found, WriteConflict)
    assert found.offending_names == ("old.example.org",)


@pytest.mark.parametrize(
    "message",
    [
        "The change would exceed quota for additions per change.",
        "Invalid value for 'entity.change.additions[7].name': 'x'",
        "Invalid value for 'entity.change.additions[elsewhere.example.org.][A]': 'x'",
        "",
    ],
)
def test_an_error_whose_record_set_is_unknown_gives_a_refusal_without_offending_names(message: str) -> None:
    found = find_outcome(message, "Invalid value for 'entity.change.additions[0].rrdata[0]': 'x'")
    assert isinstance(found, Refused)
    assert found.offending_names == ()
