"""Several objects of one namespace request one name."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, ingress, service
from tests.swap.situation import BOTH, Scratch, Situation

SITUATIONS: Final = (
    Situation(
        id="two Services of a namespace, merged",
        rule="sources 3.9: the smallest resource supplies TTL and label",
        objects=[
            service("shop/b", "web.acme.test", "192.0.2.2", ttl="30"),
            service("shop/a", "web.acme.test", "192.0.2.1", ttl="60", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2 {ttl=60}
                a-web  TXT  owned service/shop/a
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="two Services of a namespace, merged, of the same age",
        rule="sources 3.9",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1"),
            service("shop/b", "web.acme.test", "192.0.2.2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2
                a-web  TXT  owned service/shop/a
            """
        },
    ),
    Situation(
        id="two Ingresses of a namespace, merged, owned by the younger one",
        rule="sources 1.5 [U]: first by map order; plan 2.6: a label is no difference",
        flags=["--source=ingress"],
        objects=[
            ingress("shop/a", "web.acme.test", "192.0.2.1"),
            ingress("shop/b", "web.acme.test", "192.0.2.2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1 | 192.0.2.2
                a-web  TXT  owned ingress/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="two Ingresses with different TTLs",
        rule="sources 1.5: not merged; plan 2.4: the one that has the record keeps it",
        flags=["--source=ingress"],
        objects=[
            ingress("shop/a", "web.acme.test", "192.0.2.1", ttl="60"),
            ingress("shop/b", "web.acme.test", "192.0.2.2", ttl="90", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.2 {ttl=90}
                a-web  TXT  owned ingress/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="a Service and an Ingress: the Ingress has the record",
        rule="plan 2.4: the one that has the record keeps it though the other's target is smaller",
        flags=BOTH,
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1"),
            ingress("shop/a", "web.acme.test", "192.0.2.2", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.2
                a-web  TXT  owned ingress/shop/a
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="two CNAMEs: the current one stays",
        rule="plan 2.10, example 2",
        objects=[
            service("shop/a", "web.acme.test", "aaa.example.net"),
            service("shop/b", "web.acme.test", "bbb.example.net", day=2),
        ],
        zones={
            "acme.test": """
                web        CNAME  bbb.example.net
                cname-web  TXT    owned service/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="two CNAMEs: the smaller target, of the older object, is published",
        rule="plan 2.10, example 1",
        objects=[
            service("shop/a", "web.acme.test", "aaa.example.net"),
            service("shop/b", "web.acme.test", "bbb.example.net", day=2),
        ],
        zones={
            "acme.test": """
                web        CNAME  aaa.example.net
                cname-web  TXT    owned service/shop/a
            """
        },
    ),
    Situation(
        id="an address and a CNAME by two objects",
        rule="plan 2.3: the CNAME is discarded",
        flags=BOTH,
        objects=[
            ingress("shop/a", "web.acme.test", "lb.example.net"),
            service("shop/b", "web.acme.test", "192.0.2.1", day=2),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an address and an alias by two objects of a namespace",
        rule="plan 11: each record type has its own winner",
        flags=BOTH,
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1"),
            ingress("shop/b", "web.acme.test", ELB, day=2),
        ],
        zones={
            "acme.test": f"""
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/a
                web       AAAA  {ALIAS}
                aaaa-web  TXT   owned ingress/shop/b
            """
        },
    ),
    Situation(
        id="an address and an alias by two objects of a namespace: the alias was first",
        rule="plan 11 and 2.4: of each type the one that has the record keeps it",
        flags=BOTH,
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1", day=2),
            ingress("shop/b", "web.acme.test", ELB),
        ],
        zones={
            "acme.test": f"""
                web       A     {ALIAS}
                a-web     TXT   owned ingress/shop/b
                web       AAAA  {ALIAS}
                aaaa-web  TXT   owned ingress/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an IPv6 address and an alias by two objects of a namespace",
        rule="plan 11: each record type has its own winner",
        flags=BOTH,
        objects=[
            service("shop/a", "web.acme.test", "2001:db8::1"),
            ingress("shop/b", "web.acme.test", ELB, day=2),
        ],
        zones={
            "acme.test": f"""
                web       A     {ALIAS}
                a-web     TXT   owned ingress/shop/b
                web       AAAA  2001:db8::1
                aaaa-web  TXT   owned service/shop/a
            """
        },
    ),
    Situation(
        id="addresses of two families by two objects of a namespace",
        rule="plan 2.4: one winner for each type",
        flags=BOTH,
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1"),
            ingress("shop/b", "web.acme.test", "2001:db8::2", day=2),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/a
                web       AAAA  2001:db8::2
                aaaa-web  TXT   owned ingress/shop/b
            """
        },
    ),
)
