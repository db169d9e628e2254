"""Weighted, latency, failover, geolocation and multivalue records, alone and beside simple ones."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, ingress, service
from tests.swap.situation import Situation

SITUATIONS: Final = (
    Situation(
        id="weighted members by two Services",
        rule="plan 2.2: one row for each set identifier; 3.2.7: the ownership record has the same policy",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1", set_identifier="blue", aws_weight="10"),
            service("shop/b", "web.acme.test", "192.0.2.2", set_identifier="green", aws_weight="20"),
        ],
        zones={
            "acme.test": """
                web    A    192.0.2.1             {id=blue weight=10}
                a-web  TXT  owned service/shop/a  {id=blue weight=10}
                web    A    192.0.2.2             {id=green weight=20}
                a-web  TXT  owned service/shop/b  {id=green weight=20}
            """
        },
    ),
    Situation(
        id="a weighted member of each address family",
        rule="plan 2.2 and 3.2.7",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1", "2001:db8::1", set_identifier="one", aws_weight="0"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1             {id=one weight=0}
                a-web     TXT   owned service/shop/a  {id=one weight=0}
                web       AAAA  2001:db8::1           {id=one weight=0}
                aaaa-web  TXT   owned service/shop/a  {id=one weight=0}
            """
        },
    ),
    Situation(
        id="a simple A beside a weighted AAAA",
        rule="plan 11: simple and routed exclude each other per name and type only",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1"),
            service("shop/b", "web.acme.test", "2001:db8::1", set_identifier="one", aws_weight="10"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/a
                web       AAAA  2001:db8::1           {id=one weight=10}
                aaaa-web  TXT   owned service/shop/b  {id=one weight=10}
            """
        },
    ),
    Situation(
        id="a simple AAAA beside a latency A",
        rule="plan 11: simple and routed exclude each other per name and type only",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1", set_identifier="eu", aws_region="eu-west-1"),
            service("shop/b", "web.acme.test", "2001:db8::1"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1             {id=eu region=eu-west-1}
                a-web     TXT   owned service/shop/a  {id=eu region=eu-west-1}
                web       AAAA  2001:db8::1
                aaaa-web  TXT   owned service/shop/b
            """
        },
    ),
    Situation(
        id="a weighted A beside a latency AAAA",
        rule="plan 11: two policies exclude each other per name and type only",
        objects=[
            service("shop/a", "web.acme.test", "192.0.2.1", set_identifier="w", aws_weight="1"),
            service("shop/b", "web.acme.test", "2001:db8::1", set_identifier="eu", aws_region="eu-west-1"),
        ],
        zones={
            "acme.test": """
                web       A     192.0.2.1             {id=w weight=1}
                a-web     TXT   owned service/shop/a  {id=w weight=1}
                web       AAAA  2001:db8::1           {id=eu region=eu-west-1}
                aaaa-web  TXT   owned service/shop/b  {id=eu region=eu-west-1}
            """
        },
    ),
    Situation(
        id="weighted aliases",
        rule="plan 4.5 and 3.2.7",
        objects=[
            ingress("shop/a", "web.acme.test", ELB, set_identifier="a", aws_weight="1"),
            ingress("shop/b", "web.acme.test", "lb-2.us-east-1.elb.amazonaws.com", set_identifier="b", aws_weight="2"),
        ],
        flags=["--source=ingress"],
        zones={
            "acme.test": f"""
                web       A     {ALIAS}               {{id=a weight=1}}
                a-web     TXT   owned ingress/shop/a  {{id=a weight=1}}
                web       AAAA  {ALIAS}               {{id=a weight=1}}
                aaaa-web  TXT   owned ingress/shop/a  {{id=a weight=1}}
                web       A     alias lb-2.us-east-1.elb.amazonaws.com. Z35SXDOTRQ7X7K  {{id=b weight=2}}
                a-web     TXT   owned ingress/shop/b  {{id=b weight=2}}
                web       AAAA  alias lb-2.us-east-1.elb.amazonaws.com. Z35SXDOTRQ7X7K  {{id=b weight=2}}
                aaaa-web  TXT   owned ingress/shop/b  {{id=b weight=2}}
            """
        },
    ),
    Situation(
        id="weighted CNAMEs with a health check",
        rule="plan 4.4 and 3.2.7",
        objects=[
            service("shop/a", "web.acme.test", "a.example.net", set_identifier="a", aws_weight="1"),
            service(
                "shop/b",
                "web.acme.test",
                "b.example.net",
                set_identifier="b",
                aws_weight="2",
                aws_health_check_id="h-1",
            ),
        ],
        zones={
            "acme.test": """
                web        CNAME  a.example.net         {id=a weight=1}
                cname-web  TXT    owned service/shop/a  {id=a weight=1}
                web        CNAME  b.example.net         {id=b weight=2 check=h-1}
                cname-web  TXT    owned service/shop/b  {id=b weight=2 check=h-1}
            """
        },
    ),
    Situation(
        id="failover",
        rule="plan 4.4 and 3.2.7",
        objects=[
            service("shop/a", "w.acme.test", "192.0.2.1", set_identifier="p", aws_failover="PRIMARY"),
            service("shop/b", "w.acme.test", "192.0.2.2", set_identifier="s", aws_failover="SECONDARY"),
        ],
        zones={
            "acme.test": """
                w    A    192.0.2.1             {id=p failover=PRIMARY}
                a-w  TXT  owned service/shop/a  {id=p failover=PRIMARY}
                w    A    192.0.2.2             {id=s failover=SECONDARY}
                a-w  TXT  owned service/shop/b  {id=s failover=SECONDARY}
            """
        },
    ),
    Situation(
        id="geolocation with a default",
        rule="plan 4.4 and 3.2.7",
        objects=[
            service("shop/a", "w.acme.test", "192.0.2.1", set_identifier="de", aws_geolocation_country_code="DE"),
            service("shop/b", "w.acme.test", "192.0.2.2", set_identifier="all", aws_geolocation_country_code="*"),
        ],
        zones={
            "acme.test": """
                w    A    192.0.2.1             {id=de country=DE}
                a-w  TXT  owned service/shop/a  {id=de country=DE}
                w    A    192.0.2.2             {id=all country=*}
                a-w  TXT  owned service/shop/b  {id=all country=*}
            """
        },
    ),
    Situation(
        id="multivalue answers, which external-dns writes in each run",
        rule="plan 11: any value of the annotation counts, and is never read back",
        objects=[
            service("shop/a", "w.acme.test", "192.0.2.1", set_identifier="a", aws_multi_value_answer="true"),
            service("shop/b", "w.acme.test", "192.0.2.2", set_identifier="b", aws_multi_value_answer="yes"),
        ],
        zones={
            "acme.test": """
                w    A    192.0.2.1             {id=a multivalue=yes}
                a-w  TXT  owned service/shop/a  {id=a multivalue=yes}
                w    A    192.0.2.2             {id=b multivalue=yes}
                a-w  TXT  owned service/shop/b  {id=b multivalue=yes}
            """
        },
    ),
)
