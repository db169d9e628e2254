"""Names from templates and annotations, and every kind of source."""

from __future__ import annotations

from typing import Final

from tests.swap.objects import (
    gateway,
    httproute,
    ingressroute,
    istio_gateway,
    node,
    service,
)
from tests.swap.situation import Scratch, Situation

SITUATIONS: Final = (
    Situation(
        id="a template for objects without a hostname, and hostnames",
        rule="sources 8.8",
        flags=["--source=service", "--fqdn-template={{.Name}}.{{.Namespace}}.acme.test,x-{{.Name}}.acme.test"],
        objects=[service("shop/a", "", "192.0.2.1"), service("shop/b", "b.acme.test", "192.0.2.2")],
        zones={
            "acme.test": """
                a.shop    A    192.0.2.1
                a-a.shop  TXT  owned service/shop/a
                x-a       A    192.0.2.1
                a-x-a     TXT  owned service/shop/a
                b         A    192.0.2.2
                a-b       TXT  owned service/shop/b
            """
        },
    ),
    Situation(
        id="a template and hostnames combined",
        rule="sources 8.8: --combine-fqdn-annotation",
        flags=["--source=service", "--fqdn-template=*.{{.Name}}.acme.test", "--combine-fqdn-annotation"],
        objects=[service("shop/b", "b.acme.test", "192.0.2.2")],
        zones={
            "acme.test": """
                *.b    A    192.0.2.2
                a-*.b  TXT  owned service/shop/b
                b      A    192.0.2.2
                a-b    TXT  owned service/shop/b
            """
        },
    ),
    Situation(
        id="names and targets of a template",
        rule="sources 8.8: without TTL and label (1.8)",
        flags=["--source=service", "--fqdn-target-template={{.Name}}.acme.test:192.0.2.77"],
        objects=[service("shop/a", "", ttl="60")],
        zones={
            "acme.test": """
                a    A    192.0.2.77
                a-a  TXT  owned -
            """
        },
        scratch=Scratch.SAME_WITH_COMPAT,
    ),
    Situation(
        id="internal hostnames",
        rule="sources 3.3: internal-hostname has the cluster's address",
        objects=[service("shop/a", "a.acme.test", "192.0.2.1", internal_hostname="a.int.acme.test")],
        zones={
            "acme.test": """
                a        A    192.0.2.1
                a-a      TXT  owned service/shop/a
                a.int    A    10.0.0.1
                a-a.int  TXT  owned service/shop/a
            """
        },
    ),
    Situation(
        id="Services of every type",
        rule="sources 3.3: what each has as targets",
        flags=["--source=service", "--publish-internal-services"],
        objects=[
            service("shop/c", "c.acme.test", spec={"type": "ClusterIP", "clusterIP": "10.0.0.3"}),
            service("shop/e", "e.acme.test", spec={"type": "ExternalName", "externalName": "x.example.net"}),
            service("shop/i", "i.acme.test", "192.0.2.1", spec={"externalIPs": ["198.51.100.9"]}),
        ],
        zones={
            "acme.test": """
                c        A      10.0.0.3
                a-c      TXT    owned service/shop/c
                e        CNAME  x.example.net
                cname-e  TXT    owned service/shop/e
                i        A      198.51.100.9
                a-i      TXT    owned service/shop/i
            """
        },
    ),
    Situation(
        id="Nodes",
        rule="sources 6.1: external addresses, if there are any",
        flags=["--source=node", "--fqdn-template={{.Name}}.acme.test"],
        objects=[
            node("n1", external=["203.0.113.1"], internal=["10.0.0.1"]),
            node("n2", internal=["10.0.0.2", "2001:db8::2"]),
        ],
        zones={
            "acme.test": """
                n1       A     203.0.113.1
                a-n1     TXT   owned node/n1
                n2       A     10.0.0.2
                a-n2     TXT   owned node/n2
                n2       AAAA  2001:db8::2
                aaaa-n2  TXT   owned node/n2
            """
        },
    ),
    Situation(
        id="HTTPRoutes",
        rule="sources 5.6",
        flags=["--source=gateway-httproute"],
        objects=[
            gateway("infra/g", "203.0.113.1", "2001:db8::1"),
            httproute("shop/r", "r.acme.test", "infra/g", ttl="60"),
            httproute("shop/w", "*.w.acme.test", "infra/g"),
        ],
        zones={
            "acme.test": """
                r         A     203.0.113.1 {ttl=60}
                a-r       TXT   owned httproute/shop/r
                r         AAAA  2001:db8::1 {ttl=60}
                aaaa-r    TXT   owned httproute/shop/r
                *.w       A     203.0.113.1
                a-*.w     TXT   owned httproute/shop/w
                *.w       AAAA  2001:db8::1
                aaaa-*.w  TXT   owned httproute/shop/w
            """
        },
    ),
    Situation(
        id="Istio Gateways, Traefik routes and Services side by side",
        rule="sources 7.1 and 7.4: each has the label of its kind (1.8)",
        flags=["--source=istio-gateway", "--source=traefik-proxy", "--source=service"],
        objects=[
            istio_gateway("mesh/g", "mesh/g.acme.test", target="192.0.2.1"),
            ingressroute("edge/r", "t.acme.test", "lb.example.net"),
            service("shop/s", "s.acme.test", "192.0.2.2"),
        ],
        zones={
            "acme.test": """
                g        A      192.0.2.1
                a-g      TXT    owned gateway/mesh/g
                t        CNAME  lb.example.net
                cname-t  TXT    owned ingressroute/edge/r
                s        A      192.0.2.2
                a-s      TXT    owned service/shop/s
            """
        },
    ),
    Situation(
        id="Traefik routes of the old and the new group",
        rule="sources 7.4: both may be active; their labels are equal",
        flags=["--source=traefik-proxy", "--traefik-enable-legacy"],
        objects=[
            ingressroute("edge/new", "new.acme.test", "lb.example.net"),
            ingressroute("edge/old", "old.acme.test", "lb.example.net", group="traefik.containo.us"),
        ],
        zones={
            "acme.test": """
                new        CNAME  lb.example.net
                cname-new  TXT    owned ingressroute/edge/new
                old        CNAME  lb.example.net
                cname-old  TXT    owned ingressroute/edge/old
            """
        },
    ),
    Situation(
        id="Traefik routes of the old group beside Services",
        rule="sources 7.4",
        flags=["--source=traefik-proxy", "--traefik-enable-legacy", "--traefik-disable-new", "--source=service"],
        objects=[
            ingressroute("edge/new", "new.acme.test", "lb.example.net"),
            ingressroute("edge/old", "old.acme.test", "lb.example.net", group="traefik.containo.us"),
            service("shop/s", "s.acme.test", "192.0.2.2"),
        ],
        zones={
            "acme.test": """
                old        CNAME  lb.example.net
                cname-old  TXT    owned ingressroute/edge/old
                s          A      192.0.2.2
                a-s        TXT    owned service/shop/s
            """
        },
    ),
    Situation(
        id="annotations on objects of an arbitrary kind",
        rule="sources 6.4",
        flags=["--source=unstructured", "--unstructured-resource=configmaps.v1"],
        objects=[
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "namespace": "ops",
                    "name": "names",
                    "uid": "c1",
                    "annotations": {
                        "external-dns.kubernetes.io/hostname": "a.acme.test,b.acme.test",
                        "external-dns.kubernetes.io/target": "192.0.2.1",
                        "external-dns.kubernetes.io/ttl": "60",
                    },
                },
            }
        ],
        zones={
            "acme.test": """
                a    A    192.0.2.1 {ttl=60}
                a-a  TXT  owned configmap/ops/names
                b    A    192.0.2.1 {ttl=60}
                a-b  TXT  owned configmap/ops/names
            """
        },
    ),
    Situation(
        id="a name in capitals and punycode",
        rule="plan 0.3",
        objects=[
            service("shop/a", "xn--bcher-kva.acme.test", "192.0.2.1"),
            service("shop/b", "B.acme.test", "192.0.2.2"),
        ],
        zones={
            "acme.test": """
                xn--bcher-kva    A    192.0.2.1
                a-xn--bcher-kva  TXT  owned service/shop/a
                b                A    192.0.2.2
                a-b              TXT  owned service/shop/b
            """
        },
    ),
    Situation(
        id="another annotation prefix",
        rule="sources 2.1",
        flags=["--source=service", "--annotation-prefix=dns.example.org/"],
        objects=[
            service("shop/a", "a.acme.test", "192.0.2.1"),
            {
                **service("shop/b", "", "192.0.2.2"),
                "metadata": {
                    "namespace": "shop",
                    "name": "b",
                    "uid": "b",
                    "annotations": {"dns.example.org/hostname": "b.acme.test", "dns.example.org/ttl": "60"},
                },
            },
        ],
        zones={
            "acme.test": """
                b    A    192.0.2.2 {ttl=60}
                a-b  TXT  owned service/shop/b
            """
        },
    ),
)
