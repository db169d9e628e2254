"""Ownership records: naming formats old and new, spellings, encryption, owners."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, dnsendpoint, endpoint, service
from tests.swap.situation import Scratch, Situation

KEY: Final = "12345678901234567890123456789012"
ENCRYPTED: Final = (
    '"AAECAwQFBgcICQoLR99vGnULmmqkg2T6Q/L2YlTf3boQ++v0g7bRZhydmie5e6bTNxLNEaSVHQfI9VnFfpKzK6a31qOkaNzauBst'
    'GyRZVKiovFnXDb/xCc2c0jE1MUzm7Q+iZbMyaMnqAum+yxM="'
)
"""The ownership record of service/shop/web, encrypted without extdns: base64 of nonce and AES-GCM of gzip."""
WEB: Final = service("shop/web", "web.acme.test", "192.0.2.1")
LONG: Final = "a" * 63
APEX_TEXT: Final = (
    '"heritage=external-dns,external-dns/ownedRecord=acme.test,external-dns/owner=default,'
    'external-dns/resource=service/shop/web"'
)


def named(title: str, flag: str, ownership_name: str, *more: str) -> Situation:
    """Return the situation of one A record whose ownership record has the name that *flag* makes."""
    return Situation(
        id=title,
        rule="plan 3.2.1",
        flags=["--source=service", flag, *more],
        objects=[WEB],
        zones={
            "acme.test": f"""
                web               A    192.0.2.1
                {ownership_name}  TXT  owned service/shop/web
            """
        },
    )


def wildcard(title: str, ownership_name: str, *flags: str) -> Situation:
    """Return the situation of one wildcard CNAME whose ownership record has the name that *flags* make."""
    return Situation(
        id=title,
        rule="plan 3.2.1, rule 1",
        flags=["--source=service", *flags],
        objects=[service("shop/web", "*.acme.test", "lb.example.net")],
        zones={
            "acme.test": f"""
                *                 CNAME  lb.example.net
                {ownership_name}  TXT    owned service/shop/web
            """
        },
    )


SITUATIONS: Final = (
    named("prefix with a dot", "--txt-prefix=edns.", "edns.a-web"),
    named("prefix with a dash", "--txt-prefix=edns-", "edns-a-web"),
    named("prefix in capitals", "--txt-prefix=EDNS-", "edns-a-web"),
    named("prefix with the type and a dot", "--txt-prefix=edns-%{record_type}.", "edns-a.web"),
    named("prefix that is the type", "--txt-prefix=%{record_type}-", "a-web"),
    named("suffix", "--txt-suffix=-txt", "a-web-txt"),
    named("suffix with the type", "--txt-suffix=-%{record_type}x", "web-ax"),
    named("suffix with dots", "--txt-suffix=.own.ers", "a-web.own.ers"),
    wildcard("wildcard", "cname-*"),
    wildcard("wildcard with a replacement", "cname-any", "--txt-wildcard-replacement=any"),
    wildcard(
        "wildcard with a replacement and a prefix",
        "own-cname.any",
        "--txt-wildcard-replacement=any",
        "--txt-prefix=own-%{record_type}.",
    ),
    Situation(
        id="another owner id",
        rule="plan 3.2.3",
        flags=["--source=service", "--txt-owner-id=prod-1"],
        objects=[WEB],
        zones={
            "acme.test": """
                web      A    192.0.2.1
                a-web    TXT  owned service/shop/web by prod-1
                ! old    A    192.0.2.9
                ! a-old  TXT  owned service/shop/old by prod-2
            """
        },
    ),
    Situation(
        id="an old-format ownership record beside the new one",
        rule="plan 3.2.5 and 3.2.10: the new one was added, the old one stays forever",
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                web    TXT  owned service/shop/web
                a-web  TXT  owned service/shop/web
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an old-format ownership record of a CNAME beside the new one",
        rule="plan 3.2.5: untyped, so it has a prefix",
        flags=["--source=service", "--txt-prefix=edns."],
        objects=[service("shop/web", "web.acme.test", "lb.example.net")],
        zones={
            "acme.test": """
                web             CNAME  lb.example.net
                edns.web        TXT    owned service/shop/web
                edns.cname-web  TXT    owned service/shop/web
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an alias with its ownership record and that of a CNAME",
        rule="plan 3.2.5 b: the old name for aliases, which stays forever",
        objects=[service("shop/web", "web.acme.test", ELB)],
        zones={
            "acme.test": f"""
                web        A     {ALIAS}
                a-web      TXT   owned service/shop/web
                web        AAAA  {ALIAS}
                aaaa-web   TXT   owned service/shop/web
                cname-web  TXT   owned service/shop/web
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="names that read like ownership records",
        rule="plan 3.2.2: a TXT at a-foo owns foo, and the A record a-foo has one at a-a-foo",
        objects=[
            service("shop/foo", "foo.acme.test", "192.0.2.1"),
            service("shop/a-foo", "a-foo.acme.test", "192.0.2.2"),
            service("shop/cname-foo", "cname-foo.acme.test", "192.0.2.3"),
        ],
        zones={
            "acme.test": """
                foo          A    192.0.2.1
                a-foo        TXT  owned service/shop/foo
                a-foo        A    192.0.2.2
                a-a-foo      TXT  owned service/shop/a-foo
                cname-foo    A    192.0.2.3
                a-cname-foo  TXT  owned service/shop/cname-foo
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="ownership records with another TTL, another order, and without a resource",
        rule="plan 2.6: neither is a difference; 3.2.3: how they are read",
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.1"),
            service("shop/b", "b.acme.test", "192.0.2.2"),
            service("shop/c", "c.acme.test", "192.0.2.3"),
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.1
                a-a  TXT  owned service/shop/a {ttl=60}
                b    A    192.0.2.2
                a-b  TXT  "external-dns/resource=service/shop/b,external-dns/owner=default,heritage=external-dns"
                c    A    192.0.2.3
                a-c  TXT  owned -
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an ownership record that names a deleted object",
        rule="plan 2.6: a label is no difference",
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned ingress/shop/web-before
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an encrypted ownership record",
        rule="plan 3.2.4",
        flags=["--source=service", "--txt-encrypt-enabled", f"--txt-encrypt-aes-key={KEY}"],
        objects=[WEB],
        zones={
            "acme.test": f"""
                web    A    192.0.2.1
                a-web  TXT  {ENCRYPTED}
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="an encrypted ownership record, with the key and encryption switched off",
        rule="plan 3.2.4: it is read, and written again only with an update",
        flags=["--source=service", f"--txt-encrypt-aes-key={KEY}"],
        objects=[WEB],
        zones={
            "acme.test": f"""
                web    A    192.0.2.1
                a-web  TXT  {ENCRYPTED}
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="a plain ownership record from before encryption",
        rule="plan 3.2.4: plain and encrypted ones coexist",
        flags=["--source=service", "--txt-encrypt-enabled", f"--txt-encrypt-aes-key={KEY}"],
        objects=[WEB, service("shop/b", "b.acme.test", "192.0.2.2")],
        zones={
            "acme.test": f"""
                web    A    192.0.2.1
                a-web  TXT  {ENCRYPTED}
                b      A    192.0.2.2
                a-b    TXT  owned service/shop/b
            """
        },
        scratch=Scratch.DIFFERENT,
    ),
    Situation(
        id="a finished migration of owners",
        rule="plan 3.2.8",
        flags=["--source=service", "--txt-owner-id=new", "--migrate-from-txt-owner=old"],
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web by new
            """
        },
    ),
    Situation(
        id="a name that is too long for an ownership record",
        rule="plan 3.2.1: the record is there without one, and foreign from then on",
        objects=[service("shop/long", f"{LONG}.acme.test", "192.0.2.1")],
        zones={
            "acme.test": f"""
                {LONG}  A  192.0.2.1
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="an address at the apex, without an affix",
        rule="plan 3.2.1: the ownership record's name lies outside the zone, so none exists",
        objects=[service("shop/web", "acme.test", "192.0.2.1")],
        zones={
            "acme.test": """
                @  A  192.0.2.1
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="an address at the apex that extdns made",
        rule="docs/design/zone-names.md: the address is foreign for external-dns, and the TXT record covers nothing",
        objects=[service("shop/web", "acme.test", "192.0.2.1")],
        zones={
            "acme.test": f"""
                @            A    192.0.2.1
                ! _extdns-a  TXT  {APEX_TEXT}
            """
        },
    ),
    Situation(
        id="an address at the apex, with the record type in the prefix",
        rule="plan 3.2.1",
        flags=["--source=service", "--txt-prefix=%{record_type}-own."],
        objects=[service("shop/web", "acme.test", "192.0.2.1")],
        zones={
            "acme.test": """
                @      A    192.0.2.1
                a-own  TXT  owned service/shop/web
            """
        },
    ),
    Situation(
        id="no ownership records",
        rule="plan 3.1",
        flags=["--source=service", "--registry=noop"],
        objects=[WEB],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                ! txt  TXT  "hello"
            """
        },
    ),
    Situation(
        id="records of deleted objects under --policy=upsert-only",
        rule="plan 2.8: upsert-only",
        flags=["--source=service", "--policy=upsert-only"],
        objects=[WEB],
        zones={
            "acme.test": """
                web      A    192.0.2.1
                a-web    TXT  owned service/shop/web
                ! old    A    192.0.2.9
                ! a-old  TXT  owned service/shop/old
            """
        },
    ),
    Situation(
        id="outdated records under --policy=create-only",
        rule="plan 2.8: create-only",
        flags=["--source=service", "--policy=create-only"],
        objects=[WEB],
        zones={
            "acme.test": """
                ! web    A    192.0.2.7
                ! a-web  TXT  owned service/shop/web
                ! old    A    192.0.2.9
                ! a-old  TXT  owned service/shop/old
            """
        },
    ),
    Situation(
        id="records of ours of types that are not managed",
        rule="plan 2.1: they are invisible",
        flags=["--source=crd"],
        objects=[dnsendpoint("dns/a", endpoint("a.acme.test", "A", "192.0.2.1"))],
        zones={
            "acme.test": """
                a          A    192.0.2.1
                a-a        TXT  owned crd/dns/a
                ! mail     MX   10 mx.example.net.
                ! mx-mail  TXT  owned crd/dns/a
                ! note     TXT  "hello"
                ! txt-note TXT  owned crd/dns/a
            """
        },
    ),
)
