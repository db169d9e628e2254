"""CPU time of Route 53 calls: XML rendered and parsed by providers/aws/record_sets.py, or by botocore.

No request is sent. A handler of the SDK returns the response of the service. Prints medians in milliseconds, for a page
of 300 record sets and for batches of 4 and 1,000 changes. Usage: sdkcalls.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from providers.aws.client import Route53Api, build_config, open_session
from providers.aws.record_sets import ChangeAction, RecordSetChange, Route53RecordSet
from providers.aws.settings import AwsAccount
from providers.common.api_calls import RateLimit, RateLimiter
from tests.bench.process import print_figures

_RUNS: Final = 30
_NAMESPACE: Final = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"'
_CHANGED: Final = (
    f"<ChangeResourceRecordSetsResponse {_NAMESPACE}><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status>"
    "<SubmittedAt>2020-01-01T00:00:00Z</SubmittedAt></ChangeInfo></ChangeResourceRecordSetsResponse>"
)
_OWNERSHIP: Final = "heritage=external-dns,external-dns/owner=default,external-dns/resource=service/default/web"


def main() -> None:
    """Measure rendering and parsing of Route 53 calls, and print the medians."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}
    print_figures(
        **{f"page of 300, {how}": ms for how, ms in _measure_page(300).items()},
        **{f"batch of {count}, {how}": ms for count in (4, 1000) for how, ms in _measure_batch(count).items()},
    )


def _measure_page(count: int) -> dict[str, float]:
    sets = "".join(
        f"<ResourceRecordSet><Name>n{number}.example.org.</Name><Type>TXT</Type><TTL>300</TTL><ResourceRecords>"
        f"<ResourceRecord><Value>&quot;{_OWNERSHIP}&quot;</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>"
        for number in range(count)
    )
    body = (
        f"<ListResourceRecordSetsResponse {_NAMESPACE}><ResourceRecordSets>{sets}</ResourceRecordSets>"
        "<IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>"
    )
    api, client = _open(body)

    def parse_with_botocore() -> Sequence[Route53RecordSet]:
        answer = client.list_resource_record_sets(HostedZoneId="Z1", MaxItems=str(count))
        return [
            Route53RecordSet(
                name=found["Name"],
                type=found["Type"],
                ttl_s=found.get("TTL"),
                values=tuple(record["Value"] for record in found["ResourceRecords"]),
            )
            for found in answer["ResourceRecordSets"]
        ]

    return {
        "own ms": _time(lambda: api.list_record_sets("Z1", "zone", None, count)),
        "botocore ms": _time(parse_with_botocore),
    }


def _measure_batch(count: int) -> dict[str, float]:
    changes = [
        RecordSetChange(
            action=action,
            record_set=Route53RecordSet(
                name=f"n{number}.example.org", type="TXT", ttl_s=300, values=(f'"{_OWNERSHIP}"',)
            ),
        )
        for number in range(count // 2)
        for action in (ChangeAction.DELETE, ChangeAction.CREATE)
    ]
    api, client = _open(_CHANGED)

    def render_with_botocore() -> None:
        elements = [
            {
                "Action": str(change.action),
                "ResourceRecordSet": {
                    "Name": change.record_set.name,
                    "Type": change.record_set.type,
                    "TTL": change.record_set.ttl_s,
                    "ResourceRecords": [{"Value": value} for value in change.record_set.values],
                },
            }
            for change in changes
        ]
        client.change_resource_record_sets(HostedZoneId="Z1", ChangeBatch={"Changes": elements})

    return {
        "own ms": _time(lambda: api.change_record_sets("Z1", "zone", changes)),
        "botocore ms": _time(render_with_botocore),
    }


class _Body:
    """The body of a response as urllib3 returns it."""

    def __init__(self, text: str) -> None:
        self._octets = text.encode()

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self._octets


def _open(body: str) -> tuple[Route53Api, Any]:
    """Return our API and a plain client of the SDK, whose requests are answered with *body*."""
    api = Route53Api(AwsAccount(), 1, RateLimiter(rate=RateLimit(per_s=1e6, burst=1e6)))
    client = open_session(AwsAccount()).client("route53", config=build_config(1, (5.0, 30.0)))

    def respond(request: Any, **_: object) -> Any:  # noqa: ANN401 - the SDK's types
        return AWSResponse(request.url, 200, HTTPHeaders(), _Body(body))

    for one in (client, *api._open_clients()):
        one.meta.events.register("before-send.route53", respond)
    return api, client


def _time(call: Callable[[], object]) -> float:
    """Return the median CPU time of *call* in milliseconds."""
    call()
    times: list[float] = []
    for _ in range(_RUNS):
        start_s = time.process_time()
        call()
        times.append(time.process_time() - start_s)
    return round(median(times) * 1000, 2)


if __name__ == "__main__":
    main()
