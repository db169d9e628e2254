"""Objects of several namespaces request one name."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, gateway, httproute, ingress, service
from tests.swap.situation import BOTH, Scratch, Situation

SITUATIONS: Final = (
    Situation(
        id="two namespaces, merged",
        rule="sources 3.9 merges over namespaces; a record that equals the merge stays",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1"),
            service("two/b", "web.acme.test", "192.0.2.2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2
                a-web  TXT  owned service/one/a
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="three namespaces, merged, the second of which is the oldest",
        rule="sources 3.9: the smallest resource supplies TTL and label",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1", day=3),
            service("two/b", "web.acme.test", "192.0.2.2"),
            service("three/c", "web.acme.test", "192.0.2.3", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2 | 192.0.2.3
                a-web  TXT  owned service/one/a
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="two namespaces with the same target",
        rule="sources 3.9: targets are deduplicated",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1"),
            service("two/b", "web.acme.test", "192.0.2.1", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/one/a
            """
        },
    ),
    Situation(
        id="two namespaces, two CNAMEs: the younger object has the record",
        rule="plan 2.4: the smaller target; the namespace that has the name keeps it",
        objects=[
            service("one/a", "web.acme.test", "bbb.example.net"),
            service("two/b", "web.acme.test", "aaa.example.net", day=2),
        ],
        zones={
            "acme.test": """
                web        CNAME  aaa.example.net
                cname-web  TXT    owned service/two/b
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="two namespaces, an address and a CNAME: the address has the name",
        rule="plan 2.3: the CNAME is discarded",
        objects=[
            service("one/a", "web.acme.test", "lb.example.net"),
            service("two/b", "web.acme.test", "192.0.2.1", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/two/b
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="two namespaces, an address and an alias",
        rule="plan 11: each record type has its own winner, and so its own namespace",
        flags=BOTH,
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1", day=2),
            ingress("two/b", "web.acme.test", ELB),
        ],
        zones={
            "acme.test": f"""
                web       A     192.0.2.1
                a-web     TXT   owned service/one/a
                web       AAAA  {ALIAS}
                aaaa-web  TXT   owned ingress/two/b
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="two namespaces, an address of each family",
        rule="plan 2.4: one winner for each type",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1", day=2),
            service("two/b", "web.acme.test", "2001:db8::2"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/one/a
                web       AAAA  2001:db8::2
                aaaa-web  TXT   owned service/two/b
            """
        },
    ),
    Situation(
        id="two namespaces, a weighted member each",
        rule="plan 2.2: one row for each set identifier",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1", set_identifier="a", aws_weight="1"),
            service("two/b", "web.acme.test", "192.0.2.2", day=2, set_identifier="b", aws_weight="1"),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1            {id=a weight=1}
                a-web  TXT  owned service/one/a  {id=a weight=1}
                web    A    192.0.2.2            {id=b weight=1}
                a-web  TXT  owned service/two/b  {id=b weight=1}
            """
        },
    ),
    Situation(
        id="two namespaces, a simple A and a weighted AAAA",
        rule="plan 11: simple and routed exclude each other per name and type only",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1", day=2),
            service("two/b", "web.acme.test", "2001:db8::2", set_identifier="b", aws_weight="1"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/one/a
                web       AAAA  2001:db8::2          {id=b weight=1}
                aaaa-web  TXT   owned service/two/b  {id=b weight=1}
            """
        },
    ),
    Situation(
        id="Ingresses of two namespaces, merged with the same TTL",
        rule="sources 1.5",
        flags=["--source=ingress"],
        objects=[
            ingress("one/a", "web.acme.test", "192.0.2.1", ttl="60"),
            ingress("two/b", "web.acme.test", "192.0.2.2", ttl="60", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2 {ttl=60}
                a-web  TXT  owned ingress/one/a
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="HTTPRoutes of two namespaces at two Gateways",
        rule="sources 1.5 and 5.6",
        flags=["--source=gateway-httproute"],
        objects=[
            gateway("infra/g1", "203.0.113.1"),
            gateway("infra/g2", "203.0.113.2"),
            httproute("one/r", "web.acme.test", "infra/g1"),
            httproute("two/r", "web.acme.test", "infra/g2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    203.0.113.1 | 203.0.113.2
                a-web  TXT  owned httproute/one/r
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="two namespaces, and another owner has one of the records",
        rule="plan 2.5: another owner's record blocks creates of the row, not what is there",
        objects=[
            service("one/a", "web.acme.test", "192.0.2.1"),
            service("two/b", "web.acme.test", "2001:db8::2", day=2),
        ],
        zones={
            "acme.test": """
                web         A     192.0.2.1
                a-web       TXT   owned service/one/a
                ! web       AAAA  2001:db8::9
                ! aaaa-web  TXT   owned service/far/away by someone
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
)
