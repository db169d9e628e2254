"""Measure the CPU time of Route 53 calls: a full read of 10,000 record sets, one change, and a batch of 1,000.

No request is sent. A handler of the SDK returns the response of the service. Prints medians in milliseconds.
Usage: sdkcalls.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.aws.client import Route53Api
from providers.aws.record_sets import ChangeAction, RecordSetChange, Route53RecordSet
from providers.aws.settings import AwsAccount
from providers.common.api_calls import RateLimit, RateLimiter
from tests.bench.process import print_figures

_ZONE: Final = Zone(name=DnsName("example.org"), id="Z1")
_RUNS: Final = 30
_PAGE: Final = 300
_PAGES: Final = 34
_NAMESPACE: Final = 'xmlns="https://route53.amazonaws.com/doc/2013-04-01/"'
_CHANGED: Final = (
    f"<ChangeResourceRecordSetsResponse {_NAMESPACE}><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status>"
    "<SubmittedAt>2020-01-01T00:00:00Z</SubmittedAt></ChangeInfo></ChangeResourceRecordSetsResponse>"
)
_OWNERSHIP: Final = "heritage=external-dns,external-dns/owner=default,external-dns/resource=service/default/web"


def main() -> None:
    os.environ |= {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}
    reader, writer = _open(_build_page()), _open(_CHANGED)
    change, batch = _build_changes(2), _build_changes(1000)
    print_figures(
        read_ms=_PAGES * _time(lambda: reader.list_record_sets(_ZONE, None, _PAGE)),
        change_ms=_time(lambda: writer.change_record_sets(_ZONE, change)),
        batch_ms=_time(lambda: writer.change_record_sets(_ZONE, batch)),
    )


def _build_page() -> str:
    sets = "".join(
        f"<ResourceRecordSet><Name>n{number}.example.org.</Name><Type>TXT</Type><TTL>300</TTL><ResourceRecords>"
        f"<ResourceRecord><Value>&quot;{_OWNERSHIP}&quot;</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>"
        for number in range(_PAGE)
    )
    return (
        f"<ListResourceRecordSetsResponse {_NAMESPACE}><ResourceRecordSets>{sets}</ResourceRecordSets>"
        "<IsTruncated>false</IsTruncated><MaxItems>300</MaxItems></ListResourceRecordSetsResponse>"
    )


def _build_changes(count: int) -> list[RecordSetChange]:
    """Return *count* changes, a delete and a create for each record."""
    return [
        RecordSetChange(
            action=action,
            record_set=Route53RecordSet(
                name=f"n{number}.example.org", type="TXT", ttl_s=300, values=(f'"{_OWNERSHIP}"',)
            ),
        )
        for number in range(count // 2)
        for action in (ChangeAction.DELETE, ChangeAction.CREATE)
    ]


class _Body:
    """The body of a response as urllib3 returns it."""

    def __init__(self, text: str) -> None:
        self._octets = text.encode()

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self._octets


def _open(body: str) -> Route53Api:
    api = Route53Api(AwsAccount(), 1, RateLimiter(rate=RateLimit(per_s=1e6, burst=1e6)))

    def respond(request: Any, **_: object) -> Any:  # noqa: ANN401 - the SDK's types
        return AWSResponse(request.url, 200, HTTPHeaders(), _Body(body))

    for one in api._clients.open():
        one.meta.events.register("before-send.route53", respond)
    return api


def _time(call: Callable[[], object]) -> float:
    """Return the median CPU time of *call* in milliseconds."""
    call()
    times: list[float] = []
    for _ in range(_RUNS):
        start_s = time.process_time()
        call()
        times.append(time.process_time() - start_s)
    return median(times) * 1000


if __name__ == "__main__":
    main()
