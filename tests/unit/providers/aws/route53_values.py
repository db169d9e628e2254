"""Build desired records, records and zones for the tests of Route 53."""

from __future__ import annotations

from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone

ZONE = Zone(name=DnsName("example.org"), id="ZOWN")
ALB = "lb-1.us-east-1.elb.amazonaws.com"
ALB_ZONE = "Z35SXDOTRQ7X7K"
WEIGHT = {"aws/weight": "10"}
