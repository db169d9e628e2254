"""Which hosts of VirtualServices a Gateway of Istio serves (docs/spec/sources.md 7.2)."""

from __future__ import annotations

import pytest

from extdns.resources.istio import IstioGateway, IstioGatewaySpec, IstioServer
from extdns.sources.common.wildcards import list_wildcards
from extdns.sources.istio_virtualservice import list_served_patterns
from tests.unit.sources.samples import meta


# docs/spec/sources.md 7.2
@pytest.mark.parametrize(
    ("written", "export_to", "home", "expected"),
    [
        pytest.param("*", None, "shop", True, id="7.2-any-host"),
        pytest.param("a.b.t", None, "shop", True, id="7.2-the-host"),
        pytest.param("*.b.t", None, "shop", True, id="7.2-suffix"),
        pytest.param("*.a.b.t", None, "shop", False, id="7.2-other-suffix"),
        pytest.param("shop/a.b.t", None, "shop", True, id="7.2-its-namespace"),
        pytest.param("other/a.b.t", None, "shop", False, id="7.2-another-namespace"),
        pytest.param("./a.b.t", None, "mesh", True, id="7.2-the-gateway's-own-namespace"),
        pytest.param("./a.b.t", None, "shop", False, id="7.2-not-the-gateway's-own-namespace"),
        pytest.param("*/x/a.b.t", None, "shop", False, id="7.2-more-than-one-slash"),
        pytest.param("*", (), "shop", True, id="7.2-exported-to-all-by-default"),
        pytest.param("*", ("*",), "shop", True, id="7.2-exported-to-all"),
        pytest.param("*", ("mesh",), "shop", True, id="7.2-exported-to-the-gateway's-namespace"),
        pytest.param("*", (".",), "shop", False, id="7.2-exported-to-its-own-namespace-only"),
        pytest.param("*", (".",), "mesh", True, id="7.2-which-is-the-gateway's"),
        pytest.param("*", ("other",), "shop", False, id="7.2-exported-elsewhere"),
    ],
)
def test_an_istio_gateway_serves_hosts_that_match_its_namespace_and_pattern(
    written: str, export_to: tuple[str, ...] | None, home: str, expected: bool
) -> None:
    servers = (IstioServer(hosts=(written,)), IstioServer())
    gateway = IstioGateway(metadata=meta("mesh/g"), spec=IstioGatewaySpec(servers=servers))
    served = list_served_patterns(frozenset(export_to or ()), home, gateway, "mesh")
    assert any(pattern in served for pattern in ("*", "a.b.t", *list_wildcards("a.b.t"))) is expected
