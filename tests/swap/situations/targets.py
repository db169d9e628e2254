"""Spellings, TTLs, NAT64, filters of networks, default targets and PTR records."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import (
    dnsendpoint,
    endpoint,
    ingress,
    service,
)
from tests.swap.situation import Scratch, Situation

REVERSE: Final = "2.0.192.in-addr.arpa"
PTR: Final = ("--create-ptr", "--managed-record-types=A", "--managed-record-types=PTR")

SITUATIONS: Final = (
    Situation(
        id="host names in several spellings",
        rule="sources 2.2; plan 0.3 and 11: names are compared in lower case",
        objects=[service("shop/web", " one.acme.test. , TWO.acme.test", "192.0.2.1")],
        zones={
            "acme.test": """
                one    A    192.0.2.1
                a-one  TXT  owned service/shop/web
                two    A    192.0.2.1
                a-two  TXT  owned service/shop/web
            """
        },
    ),
    Situation(
        id="addresses with a final dot",
        rule="sources 1.2: one dot is removed before the type is chosen (2.2)",
        objects=[
            service("shop/a", "a.acme.test", target="192.0.2.1."),
            service("shop/b", "b.acme.test", target="192.0.2.1.,192.0.2.2"),
            service("shop/c", "c.acme.test", target="2001:db8::1."),
        ],
        zones={
            "acme.test": """
                a       A     192.0.2.1
                a-a     TXT   owned service/shop/a
                b       A     192.0.2.1 | 192.0.2.2
                a-b     TXT   owned service/shop/b
                c       AAAA  2001:db8::1
                aaaa-c  TXT   owned service/shop/c
            """
        },
    ),
    Situation(
        id="an Ingress whose targets have a final dot",
        rule="sources 2.2 and 1.3",
        flags=["--source=ingress"],
        objects=[ingress("shop/a", "a.acme.test", target="192.0.2.1.,lb.example.net.")],
        zones={
            "acme.test": """
                a    A    192.0.2.1
                a-a  TXT  owned ingress/shop/a
            """
        },
    ),
    Situation(
        id="TTLs in every spelling",
        rule="sources 2.2; plan 2.6: none given is no difference",
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.1", ttl="1m"),
            service("shop/b", "b.acme.test", "192.0.2.2", ttl="1.5h"),
            service("shop/c", "c.acme.test", "192.0.2.3", ttl="soon"),
            service("shop/d", "d.acme.test", "192.0.2.4"),
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.1 {ttl=60}
                a-a  TXT  owned service/shop/a
                b    A    192.0.2.2 {ttl=5400}
                a-b  TXT  owned service/shop/b
                c    A    192.0.2.3 {ttl=1234}
                a-c  TXT  owned service/shop/c
                d    A    192.0.2.4 {ttl=20}
                a-d  TXT  owned service/shop/d
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="a default TTL",
        rule="sources 8.6",
        flags=["--source=service", "--min-ttl=2m"],
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.1", ttl="60"),
            service("shop/b", "b.acme.test", "192.0.2.2"),
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.1 {ttl=60}
                a-a  TXT  owned service/shop/a
                b    A    192.0.2.2 {ttl=120}
                a-b  TXT  owned service/shop/b
            """
        },
    ),
    Situation(
        id="NAT64",
        rule="sources 8.3",
        flags=["--source=service", "--nat64-networks=64:ff9b::/96"],
        objects=[service("shop/a", "a.acme.test", "64:ff9b::c000:20a", ttl="60")],
        zones={
            "acme.test": """
                a       AAAA  64:ff9b::c000:20a {ttl=60}
                aaaa-a  TXT   owned service/shop/a
                a       A     192.0.2.10        {ttl=60}
                a-a     TXT   owned service/shop/a
            """
        },
    ),
    Situation(
        id="NAT64 of two merged Services, one without a NAT64 address",
        rule="sources 0.2: NAT64 applies after the merge, which has TTL and label of the first object",
        flags=["--source=service", "--nat64-networks=64:ff9b::/96"],
        objects=[
            service("shop/a", "web.acme.test", "2001:db8::1", ttl="60"),
            service("shop/b", "web.acme.test", "64:ff9b::c000:20a", ttl="90", day=2),
        ],
        zones={
            "acme.test": """
                web       AAAA  2001:db8::1 | 64:ff9b::c000:20a {ttl=60}
                aaaa-web  TXT   owned service/shop/a
                web       A     192.0.2.10                      {ttl=60}
                a-web     TXT   owned service/shop/a
            """
        },
        scratch=Scratch.DIFFERENT,
        losses=["update web.acme.test A  ('192.0.2.10',) -> ('192.0.2.10',) [changed]"],
    ),
    Situation(
        id="a filter of target networks",
        rule="sources 8.4: a host name is in no network",
        flags=["--source=service", "--target-net-filter=192.0.2.0/24"],
        objects=[
            service("shop/a", "a.acme.test", target="192.0.2.1,10.0.0.1"),
            service("shop/b", "b.acme.test", "lb.example.net"),
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.1
                a-a  TXT  owned service/shop/a
            """
        },
    ),
    Situation(
        id="an excluded network and two merged Services",
        rule="sources 0.2: the filter applies after the merge, which has TTL and label of the first object",
        flags=["--source=service", "--exclude-target-net=10.0.0.0/8"],
        objects=[
            service("shop/a", "web.acme.test", "10.0.0.1", ttl="60"),
            service("shop/b", "web.acme.test", "192.0.2.2", ttl="90", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.2 {ttl=60}
                a-web  TXT  owned service/shop/a
            """
        },
        scratch=Scratch.DIFFERENT,
        losses=["update web.acme.test A  ('192.0.2.2',) -> ('192.0.2.2',) [changed]"],
    ),
    Situation(
        id="an excluded network and two merged Services without TTL",
        rule="sources 0.2: the record is that of the second Service, with the label of the first one",
        flags=["--source=service", "--exclude-target-net=10.0.0.0/8"],
        objects=[
            service("shop/a", "web.acme.test", "10.0.0.1"),
            service("shop/b", "web.acme.test", "192.0.2.2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.2
                a-web  TXT  owned service/shop/a
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="default targets for objects without targets",
        rule="sources 8.2: the type follows the targets",
        flags=["--source=crd", "--default-targets=192.0.2.9"],
        objects=[
            dnsendpoint("dns/d", endpoint("a.acme.test", "A"), endpoint("b.acme.test", "A", "192.0.2.1", recordTTL=60))
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.9
                a-a  TXT  owned crd/dns/d
                b    A    192.0.2.1 {ttl=60}
                a-b  TXT  owned crd/dns/d
            """
        },
    ),
    Situation(
        id="forced default targets for all objects",
        rule="sources 8.2: every endpoint is replaced, and duplicates are dropped (1.7)",
        flags=[
            "--source=service",
            "--default-targets=192.0.2.9",
            "--default-targets=lb.example.net",
            "--force-default-targets",
        ],
        objects=[service("shop/a", "a.acme.test", "192.0.2.1", "2001:db8::1")],
        zones={
            "acme.test": """
                a    A    192.0.2.9
                a-a  TXT  owned service/shop/a
            """
        },
    ),
    Situation(
        id="PTR records",
        rule="sources 8.5: one per address, with all names and the smallest TTL; no label",
        scratch=Scratch.SAME_WITH_COMPAT,
        flags=["--source=service", *PTR],
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.7", ttl="300"),
            service("shop/b", "b.acme.test", "192.0.2.7", ttl="60"),
            service("shop/c", "c.acme.test", "192.0.2.8"),
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.7 {ttl=300}
                a-a  TXT  owned service/shop/a
                b    A    192.0.2.7 {ttl=60}
                a-b  TXT  owned service/shop/b
                c    A    192.0.2.8
                a-c  TXT  owned service/shop/c
            """,
            REVERSE: """
                7      PTR  a.acme.test | b.acme.test {ttl=60}
                ptr-7  TXT  owned -
                8      PTR  c.acme.test
                ptr-8  TXT  owned -
            """,
        },
    ),
    Situation(
        id="PTR records of names that several objects share",
        rule="sources 3.9 and 8.5: the first Service by name decides on TTL and record-type for all addresses",
        scratch=Scratch.SAME_WITH_COMPAT,
        flags=["--source=service", *PTR],
        objects=[
            service("shop/a", "x.acme.test", "192.0.2.7", ttl="300", record_type="none"),
            service("shop/b", "x.acme.test", "192.0.2.8", ttl="60", record_type="ptr"),
            service("shop/c", "y.acme.test", "192.0.2.9", ttl="120", day=2),
            service("shop/d", "y.acme.test", "192.0.2.10", ttl="60", record_type="none"),
        ],
        zones={
            "acme.test": """
                x    A    192.0.2.7 | 192.0.2.8 {ttl=300}
                a-x  TXT  owned service/shop/a
                y    A    192.0.2.10 | 192.0.2.9 {ttl=120}
                a-y  TXT  owned service/shop/c
            """,
            REVERSE: """
                9       PTR  y.acme.test {ttl=120}
                ptr-9   TXT  owned -
                10      PTR  y.acme.test {ttl=120}
                ptr-10  TXT  owned -
            """,
        },
    ),
    Situation(
        id="PTR records for some objects",
        rule="sources 8.5: record-type overrides --create-ptr; wildcards have none",
        scratch=Scratch.SAME_WITH_COMPAT,
        flags=["--source=service", "--managed-record-types=A", "--managed-record-types=PTR"],
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.7", record_type="ptr"),
            service("shop/b", "b.acme.test", "192.0.2.8"),
            service("shop/c", "*.w.acme.test", "192.0.2.9", record_type="ptr"),
        ],
        zones={
            "acme.test": """
                a      A    192.0.2.7
                a-a    TXT  owned service/shop/a
                b      A    192.0.2.8
                a-b    TXT  owned service/shop/b
                *.w    A    192.0.2.9
                a-*.w  TXT  owned service/shop/c
            """,
            REVERSE: """
                7      PTR  a.acme.test
                ptr-7  TXT  owned -
            """,
        },
    ),
)
