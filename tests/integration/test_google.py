"""extdns with Cloud DNS: ways to sign in, batch sizes, routing policies and missing permissions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.fakes.clouddns.log import CHANGE
from tests.fakes.clouddns.server import PROJECT, TOKEN, CloudDns
from tests.objects import service
from tests.program.process import once

FLAGS: Final = ("--source=service", "--provider=google", "--manifests=-", "--once", "--metrics-address=127.0.0.1:0")
WEB: Final = json.dumps(service("web", "web.acme.test"))
PUBLISHED: Final = ["a-web.acme.test.", "web.acme.test."]
_METADATA: Final = {
    "/": "computeMetadata/",
    "/computeMetadata/v1/project/project-id": PROJECT,
    "/computeMetadata/v1/instance/service-accounts/default/": json.dumps(
        {
            "email": "extdns@example.iam.gserviceaccount.com",
            "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        }
    ),
    "/computeMetadata/v1/instance/service-accounts/default/token": json.dumps(
        {"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"}
    ),
}


@pytest.fixture(scope="module")
def metadata() -> Iterator[str]:
    """Run the metadata server of a GKE pod with workload identity. Yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = _METADATA.get(self.path.partition("?")[0])
            self.send_response(404 if text is None else 200)
            self.send_header("Metadata-Flavor", "Google")
            self.send_header("Content-Type", "application/json" if (text or "").startswith("{") else "text/plain")
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so named in the base class
            """Print no log lines."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[tuple[CloudDns, dict[str, str]]]:
    """Run a fake Cloud DNS that requires a token. Yield it and an environment without any credentials."""
    with CloudDns(tls=True, locked=True) as fake:
        ca = tmp_path / "ca.pem"
        ca.write_bytes(fake.ca)
        unset = dict.fromkeys(("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "SSL_CERT_DIR"), "")
        trusted = dict.fromkeys(("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"), str(ca))
        yield fake, {**unset, **trusted, "CLOUDSDK_CONFIG": str(tmp_path / "none"), "NO_GCE_CHECK": "true"}


def list_record_names(fake: CloudDns, zone: str) -> list[str]:
    return [record.name for record in fake.records(zone)]


def test_a_gke_pod_gets_project_and_credentials_from_the_metadata_server(
    locked: tuple[CloudDns, dict[str, str]], metadata: str
) -> None:
    fake, env = locked
    zone = fake.add_zone("acme.test")
    env |= {"GCE_METADATA_HOST": metadata, "GCE_METADATA_IP": metadata, "NO_GCE_CHECK": ""}
    ended = once(*FLAGS, f"--google-api-endpoint={fake.url}", stdin=WEB, env=env)
    assert ended.returncode == 0, ended.stderr
    assert list_record_names(fake, zone) == PUBLISHED
    assert TOKEN not in ended.stderr


def test_a_service_account_key_file_supplies_credentials_and_project(
    locked: tuple[CloudDns, dict[str, str]], tmp_path: Path
) -> None:
    fake, env = locked
    zone = fake.add_zone("acme.test")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    key_document = {
        "type": "service_account",
        "project_id": PROJECT,
        "private_key": pem,
        "token_uri": f"{fake.url}/token",
    }
    key_document |= {"client_email": "extdns@example.iam.gserviceaccount.com", "private_key_id": "1"}
    (tmp_path / "key.json").write_text(json.dumps(key_document))
    env |= {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "key.json")}
    ended = once(*FLAGS, f"--google-api-endpoint={fake.url}", stdin=WEB, env=env)
    assert ended.returncode == 0, ended.stderr
    assert list_record_names(fake, zone) == PUBLISHED


def test_workload_identity_federation_exchanges_the_token_of_the_pod(
    locked: tuple[CloudDns, dict[str, str]], tmp_path: Path
) -> None:
    fake, env = locked
    zone = fake.add_zone("acme.test")
    (tmp_path / "token").write_text("token of the pod")
    key_document = {
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": f"{fake.url}/token",
        "credential_source": {"file": str(tmp_path / "token")},
    }
    (tmp_path / "federation.json").write_text(json.dumps(key_document))
    env |= {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "federation.json")}
    flags = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}")
    ended = once(*FLAGS, *flags, stdin=WEB, env=env)
    assert ended.returncode == 0, ended.stderr
    assert list_record_names(fake, zone) == PUBLISHED


@pytest.mark.parametrize(
    ("size", "changes", "code"),
    [
        pytest.param(11, 5, 0, id="10.6-limit-11-over-25-pairs-is-5-batches"),
        pytest.param(1, 0, 1, id="10.6-limit-1-is-too-small-for-a-record-and-its-ownership-record"),
        pytest.param(0, 1, 0, id="0-is-the-quota-of-the-project"),
    ],
)
def test_the_batch_size_flag_of_cloud_dns_limits_batches_and_never_separates_record_and_ownership_record(
    size: int, changes: int, code: int
) -> None:
    with CloudDns() as fake:
        zone = fake.add_zone("acme.test")
        manifests = "\n---\n".join(
            json.dumps(service(f"n{number:02}", f"n{number:02}.acme.test")) for number in range(25)
        )
        where = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}")
        ended = once(*FLAGS, *where, f"--google-batch-change-size={size}", stdin=manifests)
        assert ended.returncode == code, ended.stderr
        assert fake.log.count_calls()[CHANGE] == changes
        assert len(list_record_names(fake, zone)) == (50 if changes else 0)


def test_a_routing_policy_is_published_and_left_unchanged_by_the_next_run() -> None:
    policy = {"wrr": {"items": [{"weight": 1, "rrdatas": ["192.0.2.1"]}, {"weight": 3, "rrdatas": ["192.0.2.2"]}]}}
    manifest = {
        "apiVersion": "externaldns.k8s.io/v1alpha1",
        "kind": "DNSEndpoint",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "endpoints": [
                {
                    "dnsName": "web.acme.test",
                    "recordType": "A",
                    "targets": ["192.0.2.1"],
                    "providerSpecific": [{"name": "google/routing-policy", "value": json.dumps(policy)}],
                }
            ]
        },
    }
    with CloudDns() as fake:
        zone = fake.add_zone("acme.test")
        where = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}", "--source=crd")
        for _ in range(2):
            ended = once(*FLAGS[1:], *where, stdin=json.dumps(manifest))
            assert ended.returncode == 0, ended.stderr
        assert fake.log.count_calls()[CHANGE] == 1
        record = next(one for one in fake.records(zone) if one.type == "A")
        assert [item["weight"] for item in json.loads(record.policy)["wrr"]["items"]] == [1, 3]


@pytest.mark.parametrize(
    ("action", "message"),
    [
        pytest.param("managedZones.list", "reason=no-zone", id="10.6-zones"),
        pytest.param("resourceRecordSets.list", "dns.resourceRecordSets.list on zone acme.test", id="10.6-records"),
    ],
)
def test_if_listing_zones_or_records_is_forbidden_the_program_prints_a_message_and_no_traceback(
    action: str, message: str
) -> None:
    with CloudDns() as fake:
        fake.add_zone("acme.test")
        fake.denied.add(action)
        where = (f"--google-api-endpoint={fake.url}", f"--google-project={PROJECT}")
        ended = once(*FLAGS, *where, stdin=WEB)
        assert ended.returncode == 1
        assert message in ended.stderr
        assert "Traceback" not in ended.stderr
