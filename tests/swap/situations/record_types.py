"""Addresses, aliases, CNAMEs and other types, alone and mixed at one name."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import ALIAS, ELB, dnsendpoint, endpoint, service
from tests.swap.situation import Scratch, Situation

SITUATIONS: Final = (
    Situation(
        id="an address of each family",
        rule="sources 3.4, plan 3.2.1",
        objects=[service("shop/web", "web.acme.test", "192.0.2.1", "2001:db8::1")],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/web
                web       AAAA  2001:db8::1
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="a load balancer outside AWS, by host name",
        rule="plan 4.5: no canonical zone, so a CNAME",
        objects=[service("shop/web", "web.acme.test", "lb.example.net")],
        zones={
            "acme.test": """
                web        CNAME  lb.example.net
                cname-web  TXT    owned service/shop/web
            """
        },
    ),
    Situation(
        id="an AWS load balancer",
        rule="plan 4.5: A alias and a copied AAAA alias, without TTL",
        objects=[service("shop/web", "web.acme.test", ELB)],
        zones={
            "acme.test": f"""
                web       A     {ALIAS}
                a-web     TXT   owned service/shop/web
                web       AAAA  {ALIAS}
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="an AWS load balancer as CNAME",
        rule="plan 4.5: --aws-prefer-cname",
        flags=["--source=service", "--aws-prefer-cname"],
        objects=[service("shop/web", "web.acme.test", ELB)],
        zones={
            "acme.test": f"""
                web        CNAME  {ELB}
                cname-web  TXT    owned service/shop/web
            """
        },
    ),
    Situation(
        id="an AWS load balancer without health evaluation",
        rule="plan 4.5: aws/evaluate-target-health, from the flag or the annotation",
        flags=["--source=service", "--no-aws-evaluate-target-health"],
        objects=[
            service("shop/a", "a.acme.test", ELB),
            service("shop/b", "b.acme.test", ELB, aws_evaluate_target_health="true"),
        ],
        zones={
            "acme.test": f"""
                a       A     {ALIAS} {{health=no}}
                a-a     TXT   owned service/shop/a
                a       AAAA  {ALIAS} {{health=no}}
                aaaa-a  TXT   owned service/shop/a
                b       A     {ALIAS}
                a-b     TXT   owned service/shop/b
                b       AAAA  {ALIAS}
                aaaa-b  TXT   owned service/shop/b
            """
        },
    ),
    Situation(
        id="an IPv4 address and an AWS load balancer on one Service",
        rule="plan 11: each record type has its own winner; an address is less than a host name (0.2)",
        objects=[service("shop/web", "web.acme.test", "192.0.2.1", ELB)],
        zones={
            "acme.test": f"""
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/web
                web       AAAA  {ALIAS}
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="an IPv6 address and an AWS load balancer on one Service",
        rule="plan 11: each record type has its own winner",
        objects=[service("shop/web", "web.acme.test", "2001:db8::1", ELB)],
        zones={
            "acme.test": f"""
                web       A     {ALIAS}
                a-web     TXT   owned service/shop/web
                web       AAAA  2001:db8::1
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="both addresses and an AWS load balancer on one Service",
        rule="plan 11: each record type has its own winner; addresses win both",
        objects=[service("shop/web", "web.acme.test", "192.0.2.1", "2001:db8::1", ELB)],
        zones={
            "acme.test": """
                web       A     192.0.2.1
                a-web     TXT   owned service/shop/web
                web       AAAA  2001:db8::1
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="an address and a foreign host name on one Service",
        rule="plan 2.3: the CNAME is discarded",
        objects=[service("shop/web", "web.acme.test", "192.0.2.1", "lb.example.net")],
        zones={
            "acme.test": """
                web    A    192.0.2.1
                a-web  TXT  owned service/shop/web
            """
        },
    ),
    Situation(
        id="an alias within the zone",
        rule="plan 4.6: alias=true and no canonical zone means the zone itself",
        objects=[service("shop/web", "web.acme.test", "base.acme.test", alias="true")],
        zones={
            "acme.test": """
                ! base    A     198.51.100.1
                ! base    AAAA  2001:db8::7
                web       A     alias base.acme.test. Z1
                a-web     TXT   owned service/shop/web
                web       AAAA  alias base.acme.test. Z1
                aaaa-web  TXT   owned service/shop/web
            """
        },
    ),
    Situation(
        id="every record type of a DNSEndpoint",
        rule="sources 6.3; plan 3.2.1: the ownership record of each type",
        flags=[
            "--source=crd",
            *(f"--managed-record-types={rtype}" for rtype in ("A", "MX", "TXT", "SRV", "NAPTR", "NS")),
        ],
        objects=[
            dnsendpoint(
                "dns/all",
                endpoint("a.acme.test", "A", "192.0.2.1", recordTTL=60),
                endpoint("mail.acme.test", "MX", "10 mx1.example.net", "20 mx2.example.net"),
                endpoint("note.acme.test", "TXT", '"v=spf1 -all"'),
                endpoint("_sip._tcp.acme.test", "SRV", "1 2 5060 sip.example.net."),
                endpoint("sub.acme.test", "NS", "ns1.example.net", "ns2.example.net"),
            )
        ],
        zones={
            "acme.test": """
                a              A      192.0.2.1 {ttl=60}
                a-a            TXT    owned crd/dns/all
                mail           MX     10 mx1.example.net | 20 mx2.example.net
                mx-mail        TXT    owned crd/dns/all
                note           TXT    "v=spf1 -all"
                txt-note       TXT    owned crd/dns/all
                _sip._tcp      SRV    1 2 5060 sip.example.net.
                srv-_sip._tcp  TXT    owned crd/dns/all
                sub            NS     ns1.example.net | ns2.example.net
                ns-sub         TXT    owned crd/dns/all
            """
        },
    ),
    Situation(
        id="a DNSEndpoint with final dots in targets, which external-dns writes in each run",
        rule="plan 11: the trailing dot is no difference",
        flags=["--source=crd", "--managed-record-types=CNAME", "--managed-record-types=MX"],
        objects=[
            dnsendpoint(
                "dns/d",
                endpoint("c.acme.test", "CNAME", "x.example.net."),
                endpoint("m.acme.test", "MX", "10 mx.example.net."),
            )
        ],
        zones={
            "acme.test": """
                c        CNAME  x.example.net.
                cname-c  TXT    owned crd/dns/d
                m        MX     10 mx.example.net.
                mx-m     TXT    owned crd/dns/d
            """
        },
    ),
    Situation(
        id="ports of a NodePort Service",
        rule="sources 3.5, plan 3.2.1",
        flags=["--source=service", "--managed-record-types=A", "--managed-record-types=SRV"],
        objects=[
            service("ops/ssh", "ssh.acme.test", spec={"type": "NodePort", "ports": [{"port": 22, "nodePort": 30022}]}),
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": "n1", "uid": "n1", "creationTimestamp": "2026-01-01T00:00:00Z"},
                "status": {"addresses": [{"type": "ExternalIP", "address": "203.0.113.1"}]},
            },
        ],
        zones={
            "acme.test": """
                ssh                 A    203.0.113.1
                a-ssh               TXT  owned service/ops/ssh
                _ssh._tcp.ssh       SRV  0 50 30022 ssh.acme.test.
                srv-_ssh._tcp.ssh   TXT  owned service/ops/ssh
            """
        },
    ),
    Situation(
        id="an object that lost its address, and a foreign record without an object",
        rule="plan 2.9: what has no ownership record is never touched",
        objects=[service("shop/web", "www.acme.test")],
        zones={
            "acme.test": """
                ! www     A    198.51.100.1
                ! other   A    198.51.100.2
                ! a-other TXT  owned service/x/y by someone
            """
        },
        scratch=Scratch.SAME,
    ),
)
