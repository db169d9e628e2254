"""Which zone a record lives in: nested zones, zones of one name, filters, pins; and what is out of scope."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, dnsendpoint, endpoint, service
from tests.swap.situation import Scratch, Situation

WEB: Final = service("shop/web", "web.acme.test", "192.0.2.1")

SITUATIONS: Final = (
    Situation(
        id="nested zones",
        rule="plan 4.8: the longest public zone; the ownership record follows by its own name",
        objects=[
            service("shop/up", "up.acme.test", "192.0.2.1"),
            service("shop/down", "x.dev.acme.test", "192.0.2.2"),
            service("shop/like", "xdev.acme.test", "192.0.2.3"),
        ],
        zones={
            "acme.test": """
                up      A    192.0.2.1
                a-up    TXT  owned service/shop/up
                xdev    A    192.0.2.3
                a-xdev  TXT  owned service/shop/like
            """,
            "dev.acme.test": """
                x    A    192.0.2.2
                a-x  TXT  owned service/shop/down
            """,
        },
    ),
    Situation(
        id="the name of a child zone, owned by a record in its parent",
        rule="plan 3.2.1 and 4.8: a-dev.acme.test belongs to acme.test",
        objects=[service("shop/dev", "dev.acme.test", "192.0.2.1")],
        zones={
            "acme.test": """
                a-dev  TXT  owned service/shop/dev
            """,
            "dev.acme.test": """
                @  A  192.0.2.1
            """,
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="the name of a child zone as alias, owned by records in its parent",
        rule="plan 3.2.1 and 4.8",
        objects=[service("shop/dev", "dev.acme.test", ELB)],
        zones={
            "acme.test": """
                a-dev     TXT  owned service/shop/dev
                aaaa-dev  TXT  owned service/shop/dev
            """,
            "dev.acme.test": f"""
                @  A     {ALIAS}
                @  AAAA  {ALIAS}
            """,
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="a wildcard of a child zone and one of its parent",
        rule="plan 3.2.1 and 4.8",
        objects=[
            service("shop/up", "*.acme.test", "192.0.2.1"),
            service("shop/down", "*.dev.acme.test", "192.0.2.2"),
        ],
        zones={
            "acme.test": """
                *    A    192.0.2.1
                a-*  TXT  owned service/shop/up
            """,
            "dev.acme.test": """
                *    A    192.0.2.2
                a-*  TXT  owned service/shop/down
            """,
        },
    ),
    Situation(
        id="a public and a private zone of one name",
        rule="plan 4.8: into both",
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """,
            "acme.test private": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """,
        },
    ),
    Situation(
        id="private zones at every depth and the longest public one",
        rule="plan 4.8: every private zone whose name is a suffix, and one public zone",
        objects=[service("shop/x", "x.dev.acme.test", "192.0.2.1")],
        zones={
            "acme.test": "",
            "dev.acme.test": """
                x    A    192.0.2.1
                a-x  TXT  owned service/shop/x
            """,
            "acme.test private": """
                x.dev    A    192.0.2.1
                a-x.dev  TXT  owned service/shop/x
            """,
            "dev.acme.test private": """
                x    A    192.0.2.1
                a-x  TXT  owned service/shop/x
            """,
        },
    ),
    Situation(
        id="only private zones",
        rule="plan 4.2: --aws-zone-type",
        flags=["--source=service", "--aws-zone-type=private"],
        objects=[WEB],
        zones={
            "acme.test": """
                ! web    A    192.0.2.8
                ! a-web  TXT  owned service/shop/web
            """,
            "acme.test private": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """,
        },
    ),
    Situation(
        id="one zone selected by its id",
        rule="plan 4.2: --zone-id-filter",
        flags=["--source=service", "--zone-id-filter=/hostedzone/Z2"],
        objects=[service("shop/web", "web.dev.acme.test", "192.0.2.1")],
        zones={
            "acme.test": """
                ! web.dev    A    192.0.2.8
                ! a-web.dev  TXT  owned service/shop/web
            """,
            "dev.acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """,
        },
    ),
    Situation(
        id="a record pinned to a zone, which external-dns writes in each run",
        rule="plan 4.8; the pin is never read back (4.5)",
        objects=[service("shop/web", "web.acme.test", "192.0.2.1", aws_hosted_zone_id="Z2")],
        zones={
            "acme.test": "",
            "acme.test private": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """,
        },
    ),
    Situation(
        id="an alias with a configured target zone, which external-dns writes in each run",
        rule="plan 4.6; the zone is never read back (4.5)",
        objects=[
            service("shop/web", "web.acme.test", "lb.example.net", alias="true", aws_target_hosted_zone="ZTARGET1")
        ],
        zones={
            "acme.test": """
                web       A     alias lb.example.net. ZTARGET1
                a-web     TXT   owned service/shop/web
                web       AAAA  alias lb.example.net. ZTARGET1
                aaaa-web  TXT   owned service/shop/web
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="names outside the domain filters, requested and left over",
        rule="plan 2.1: filtered on both sides",
        flags=["--source=service", "--domain-filter=acme.test", "--exclude-domains=out.acme.test"],
        objects=[WEB, service("shop/out", "x.out.acme.test", "192.0.2.2")],
        zones={
            "acme.test": """
                web          A    192.0.2.1
                a-web        TXT  owned service/shop/web
                ! y.out      A    192.0.2.3
                ! a-y.out    TXT  owned service/shop/y
            """
        },
    ),
    Situation(
        id="names outside the regular expression, requested and left over",
        rule="plan 7.3",
        flags=["--source=service", r"--regex-domain-filter=^w.*\.acme\.test$"],
        objects=[WEB, service("shop/out", "x.acme.test", "192.0.2.2")],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
                ! y    A    192.0.2.3
                ! a-y  TXT  owned service/shop/y
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="names without a zone",
        rule="plan 4.8: dropped",
        objects=[WEB, service("shop/far", "web.example.net", "192.0.2.2")],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """
        },
    ),
    Situation(
        id="foreign records at requested names",
        rule="plan 2.5 and 2.9",
        objects=[
            WEB,
            service("shop/hand", "hand.acme.test", "192.0.2.2"),
            service("shop/other", "other.acme.test", "192.0.2.3"),
            service("shop/type", "type.acme.test", "192.0.2.4"),
        ],
        zones={
            "acme.test": """
                web           A      192.0.2.1
                a-web         TXT    owned service/shop/web
                ! hand        A      198.51.100.2
                ! other       A      198.51.100.3
                ! a-other     TXT    owned service/shop/other by someone
                ! type        CNAME  x.example.net
            """
        },
    ),
    Situation(
        id="foreign records of other types at names of ours",
        rule="plan 2.1: what is not managed is invisible",
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
                ! web  TXT  "v=spf1 -all"
                ! web  MX   10 mx.example.net.
                ! web  CAA  0 issue "ca.example.net"
            """
        },
    ),
    Situation(
        id="a DNSEndpoint for each of two nested zones",
        rule="plan 4.8",
        flags=["--source=crd"],
        objects=[
            dnsendpoint(
                "dns/two",
                endpoint("x.acme.test", "A", "192.0.2.1"),
                endpoint("x.dev.acme.test", "CNAME", "x.acme.test"),
            )
        ],
        zones={
            "acme.test": """
                x    A    192.0.2.1
                a-x  TXT  owned crd/dns/two
            """,
            "dev.acme.test": """
                x        CNAME  x.acme.test
                cname-x  TXT    owned crd/dns/two
            """,
        },
    ),
)
