"""The edge to the SDK: where it looks, and what of it never gets out."""

from __future__ import annotations

import os
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest.mock import patch

import pytest

from providers.aws.client import Client, clients
from providers.aws.settings import Access, AwsSettings
from providers.remote.allowance import Allowance
from providers.remote.failure import CallFailedError, Trouble
from tests.fakes.apiserver.certificates import make
from tests.fakes.route53.log import CHANGE
from tests.fakes.route53.server import Route53
from tests.fakes.service.faults import Refuse
from tests.route53 import environ


class Listing(BaseHTTPRequestHandler):
    """Answers every request with the body of its server."""

    def do_GET(self) -> None:
        body: bytes = self.server.body  # type: ignore[attr-defined]  # set by the test
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
        pass


NO_ZONES = (
    b'<ListHostedZonesResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZones/>'
    b"<IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListHostedZonesResponse>"
)


def failure(client: Client, **variables: str) -> CallFailedError:
    with patch.dict(os.environ, variables), pytest.raises(CallFailedError) as error:
        client.zones()
    assert error.value.__cause__ is not None
    return error.value


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client that has not looked anywhere yet, in an environment without anything of AWS."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    return Client(Access(), 1, Allowance())


@pytest.mark.parametrize(
    ("status", "code", "trouble"),
    [
        pytest.param(403, "AccessDenied", Trouble.FORBIDDEN, id="no-right"),
        pytest.param(403, "InvalidClientTokenId", Trouble.CREDENTIALS, id="unknown-key"),
        pytest.param(403, "SignatureDoesNotMatch", Trouble.CREDENTIALS, id="wrong-secret"),
        pytest.param(400, "Throttling", Trouble.LATER, id="throttled"),
        pytest.param(500, "InternalFailure", Trouble.LATER, id="500"),
        pytest.param(502, "", Trouble.LATER, id="a-proxy-without-words"),
        pytest.param(400, "InvalidInput", Trouble.REFUSED, id="refused"),
    ],
)
def test_an_answer_that_is_an_error_is_sorted_by_what_can_be_done(
    fake: Route53, account: Client, status: int, code: str, trouble: Trouble
) -> None:
    fake.faults.arm(Refuse(status, code, "as the service says"), action="ListHostedZones", times=9)
    found = failure(account)
    assert found.trouble is trouble
    assert str(found).startswith("route53:ListHostedZones: ")


def test_credentials_that_appear_later_are_found(fake: Route53, bare: Client) -> None:
    fake.add_zone("example.org")
    places = {name: value for name, value in environ(fake).items() if "KEY" not in name}
    assert failure(bare, **places).trouble is Trouble.CREDENTIALS
    with patch.dict(os.environ, environ(fake)):
        assert len(bare.zones()) == 1


@pytest.mark.parametrize(
    ("variables", "region"),
    [
        pytest.param({}, "us-east-1", id="none"),
        pytest.param({"AWS_REGION": "eu-central-1"}, "eu-central-1", id="as-EKS-sets-it"),
        pytest.param({"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1", id="as-the-SDK-reads-it"),
        pytest.param({"AWS_REGION": "a-1", "AWS_DEFAULT_REGION": "b-1"}, "a-1", id="both"),
    ],
)
def test_the_region_is_read_as_other_sdks_do(
    fake: Route53, bare: Client, variables: dict[str, str], region: str
) -> None:
    with patch.dict(os.environ, environ(fake) | variables):
        reads, writes = bare._clients()
    assert reads.meta.config.retries["total_max_attempts"] == 1  # type: ignore[attr-defined]
    assert {one.meta.region_name for one in (reads, writes)} <= {region, "aws-global"}


def test_an_account_is_named_only_where_there_are_several() -> None:
    assert list(clients(AwsSettings(accounts=(Access(profile="a"),)))) == [""]
    assert list(clients(AwsSettings(accounts=(Access(profile="a"), Access(profile="b"))))) == ["a", "b"]


@pytest.mark.parametrize("body", [b"", b"<html/>", b"not XML at all"], ids=["empty", "HTML", "text"])
def test_a_wrong_answer_is_an_error_of_ours(bare: Client, body: bytes) -> None:
    with HTTPServer(("127.0.0.1", 0), Listing) as server:
        server.body = body  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        variables = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}
        try:
            with patch.dict(os.environ, variables):
                with pytest.raises(CallFailedError):
                    bare.zones()
                with pytest.raises(CallFailedError):
                    bare.page("Z", "zone Z", None, 300)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_an_authority_of_the_users_is_trusted(bare: Client, tmp_path: Path, variable: str) -> None:
    context, authority = make(tmp_path)
    folder = tmp_path / "authorities"
    folder.mkdir()
    (folder / "ca.pem").write_bytes(authority)
    with HTTPServer(("127.0.0.1", 0), Listing) as server:
        server.body = NO_ZONES  # type: ignore[attr-defined]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"https://127.0.0.1:{server.server_port}"
        variables = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}
        try:
            assert "SSLError" in str(failure(Client(Access(), 1, Allowance()), **variables))
            path = folder if variable == "SSL_CERT_DIR" else folder / "ca.pem"
            with patch.dict(os.environ, variables | {variable: str(path)}):
                assert bare.zones() == ()
        finally:
            server.shutdown()
            thread.join()
    assert isinstance(context, ssl.SSLContext)


@pytest.mark.parametrize(
    ("code", "account_s", "action_s"),
    [
        pytest.param("Throttling", 5, 5, id="throttled"),
        pytest.param("PriorRequestNotComplete", 10, 5, id="still-busy"),
        pytest.param("InvalidInput", 10, 10, id="refused"),
    ],
)
def test_calls_come_slower_once_the_service_says_so(
    fake: Route53, account: Client, code: str, account_s: float, action_s: float
) -> None:
    zone_id = fake.add_zone("example.org")
    fake.faults.arm(Refuse(400, code), action=CHANGE)
    with pytest.raises(CallFailedError):
        account.change(zone_id, "zone example.org", [])
    rates = {budget.action: budget.per_s for budget in account.budgets()}
    assert (rates[""], rates[CHANGE]) == (account_s, action_s)
