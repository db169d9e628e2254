"""A boto3 client of the fake Route 53, without retries."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.fakes.route53.server import Route53

if TYPE_CHECKING:
    from types_boto3_route53 import Route53Client


KEY: Final = "AKIDTEST"
"""The default access key of the client."""
_SIGNED: Final = {"Authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/route53/aws4_request"}
_ONCE: Final = Config(retries={"total_max_attempts": 1, "mode": "standard"}, connect_timeout=60, read_timeout=60)


@cache
def _build_session() -> boto3.session.Session:
    return boto3.session.Session()


def build_client(url: str, *, access_key: str = KEY, config: Config | None = None, verify: str = "") -> Route53Client:
    """Create a boto3 client. *verify* is the path of a CA file."""
    return _build_session().client(
        "route53",
        endpoint_url=url,
        verify=verify or None,
        region_name="us-east-1",
        aws_access_key_id=access_key,
        aws_secret_access_key="secret",
        config=_ONCE.merge(config) if config else _ONCE,
    )


def build_simple(name: str, kind: str = "A", *values: str, ttl: int = 300, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    """Build a simple record set in the form of boto3. The default value is 192.0.2.1."""
    shown = [{"Value": value} for value in values or ("192.0.2.1",)]
    return {"Name": name, "Type": kind, "TTL": ttl, "ResourceRecords": shown} | fields


def build_alias(name: str, target: str, zone_id: str, kind: str = "A", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the API
    """Build an alias record in the form of boto3."""
    where = {"HostedZoneId": zone_id, "DNSName": target, "EvaluateTargetHealth": False}
    return {"Name": name, "Type": kind, "AliasTarget": where} | fields


def find_message(error: ClientError) -> tuple[str, str]:
    """Return the code and the message of an error."""
    detail = error.response.get("Error", {})
    return detail.get("Code", ""), detail.get("Message", "")


class RawClient:
    """A client of one zone."""

    def __init__(self, fake: Route53, zone_id: str) -> None:
        self.fake = fake
        self.zone_id = zone_id
        self.client = build_client(fake.url)

    def change(self, *items: tuple[str, Mapping[str, Any]]) -> str:
        """Submit a batch of actions and record sets. Return the id of the change.

        Raises:
            ClientError: the batch is refused.
        """
        changes: list[Any] = [{"Action": action, "ResourceRecordSet": dict(record)} for action, record in items]
        answer = self.client.change_resource_record_sets(HostedZoneId=self.zone_id, ChangeBatch={"Changes": changes})
        return answer["ChangeInfo"]["Id"]

    def create(self, *records: Mapping[str, Any]) -> str:
        """Submit a batch that creates *records*. Return the id of the change."""
        return self.change(*(("CREATE", record) for record in records))

    def refusal(self, *items: tuple[str, Mapping[str, Any]]) -> tuple[str, str]:
        """Submit a batch that must be refused and change nothing. Return code and message of the error."""
        before = self.fake.shown(self.zone_id)
        try:
            self.change(*items)
        except ClientError as exc:
            assert self.fake.shown(self.zone_id) == before, "a refused batch changed something"
            return find_message(exc)
        raise AssertionError("the batch was applied; expected: a refusal")

    def listed(self, **query: Any) -> list[str]:  # noqa: ANN401 - of the API
        """Return the record sets of one page, as `name type`, without NS and SOA of the apex."""
        answer = self.client.list_resource_record_sets(HostedZoneId=self.zone_id, **query)
        found = [f"{record['Name']} {record['Type']}" for record in answer["ResourceRecordSets"]]
        return [one for one in found if not one.endswith((" NS", " SOA"))]

    def http(self, method: str, path: str, body: str = "", *, signed: bool = True) -> tuple[int, str]:
        """Send an HTTP request without changes. Return status and body of the response."""
        connection = HTTPConnection("127.0.0.1", int(self.fake.url.rpartition(":")[2]), timeout=60)
        try:
            connection.request(method, path, body, _SIGNED if signed else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()
