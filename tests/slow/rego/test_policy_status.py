"""What is on the ConfigMaps of policies: the status of kube-mgmt, and that of extdns if a policy fails later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from extdns.kube.policy_status import ANNOTATION, REASON
from tests.fakes.apiserver.server import ApiServer
from tests.objects import namespace, service
from tests.program.installation import Installation
from tests.slow.rego.kube_mgmt import DATA_LABEL, STATUS, KubeMgmt, build_config_map
from tests.slow.rego.opa_process import OpaProcess

GOOD: Final = (
    'package extdns\n\ndeny contains "a bad name" if startswith(input.record.name, data.dns.settings.bad.start)\n'
)
CONFLICT: Final = """\
package extdns

owner := "a" if input.record.name == "web.example.org"

owner := "b" if input.record.name == "web.example.org"

deny contains "not yours" if owner != "a"
"""
REJECTED: Final = "package extdns\n\ndeny contains\n"


class Site:
    """A cluster with policies in ConfigMaps, kube-mgmt and a real OPA."""

    def __init__(self, folder: Path, server: ApiServer, opa: OpaProcess) -> None:
        self.server = server
        self.installation = Installation(folder, server, sources=("service",), example_org="")
        self.flags = ("--interval=1s", f"--opa-url={opa.url}")

    def annotation(self, name: str, key: str = ANNOTATION) -> dict[str, Any] | None:
        found = self.server.get("ConfigMap", "dns", name)
        assert found is not None
        text = (found["metadata"].get("annotations") or {}).get(key)
        return json.loads(text) if text else None

    def until_status(self, name: str, status: str, key: str = ANNOTATION) -> dict[str, Any]:
        self.installation.until(lambda: (self.annotation(name, key) or {}).get("status") == status)
        found = self.annotation(name, key)
        assert found is not None
        return found

    def published(self) -> list[str]:
        return self.installation.zones.published()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Load a good policy and its data, and run everything but extdns."""
    with ApiServer() as server, OpaProcess(tmp_path) as opa, KubeMgmt(server, opa):
        server.put(namespace())
        server.put(build_config_map("settings", DATA_LABEL, bad='{"start": "bad"}'))
        server.put(build_config_map("names", names_rego=GOOD))
        site = Site(tmp_path, server, opa)
        site.until_status("names", "ok", STATUS)
        yield site


def test_policies_in_config_maps_decide_which_names_are_published(site: Site) -> None:
    site.installation.apply(service("web"), service("bad"))
    with site.installation.start(*site.flags) as running:
        site.installation.until(lambda: b'reason="policy-denied"} 1' in running.metrics())
        site.installation.until(lambda: site.published() == ["web.example.org A 192.0.2.1"])
    assert site.annotation("names") is None


def test_the_config_map_of_a_policy_that_opa_rejects_shows_the_error_and_the_former_policy_stays_in_use(
    site: Site,
) -> None:
    site.installation.apply(service("bad"))
    with site.installation.start(*site.flags) as running:
        site.installation.until(lambda: b'reason="policy-denied"} 1' in running.metrics())
        site.server.put(build_config_map("names", names_rego=REJECTED))
        assert site.until_status("names", "error", STATUS)["error"]["code"] == "invalid_parameter"
        site.server.put(build_config_map("names", names_rego=GOOD))
        site.until_status("names", "ok", STATUS)
    assert site.published() == []


def test_the_config_map_of_a_policy_that_fails_shows_the_error_until_it_is_corrected(site: Site) -> None:
    site.server.put(build_config_map("owners", owners_rego=CONFLICT))
    site.until_status("owners", "ok", STATUS)
    site.installation.apply(service("web"))
    with site.installation.start(*site.flags):
        error = site.until_status("owners", "error")["error"]
        assert error.startswith("owners.rego: rule data.extdns.owner produced conflicting values")
        site.installation.until(lambda: site.server.objects("Event"))
        site.installation.until(lambda: REASON in {one["reason"] for one in site.server.objects("Event")})
        assert site.annotation("names") is None
        assert site.published() == []
        site.server.put(build_config_map("owners", owners_rego=GOOD))
        site.installation.until(lambda: site.annotation("owners") is None)
        site.installation.until(lambda: site.published() == ["web.example.org A 192.0.2.1"])


def test_an_unsupported_form_of_result_is_reported_on_every_config_map_of_its_package(site: Site) -> None:
    site.server.put(build_config_map("names", names_rego="package extdns\n\ndeny := true\n"))
    site.server.put(build_config_map("helpers", helpers_rego="package extdns\n\nlimit := 1\n"))
    site.server.put(build_config_map("other", other_rego="package other\n\nx := 1\n"))
    site.installation.apply(service("web"))
    with site.installation.start(*site.flags):
        for name in ("names", "helpers"):
            error = site.until_status(name, "error")["error"]
            assert error.startswith(f"{name}.rego: the result of extdns/deny is a boolean;")
    assert site.annotation("other") is None


def test_records_are_published_although_extdns_may_not_write_to_config_maps(site: Site) -> None:
    site.server.forbid("patch", "configmaps")
    site.server.put(build_config_map("owners", owners_rego=CONFLICT))
    site.installation.apply(service("web"), service("api"))
    with site.installation.start(*site.flags) as running:
        running.until("Cannot write the status of a policy to its ConfigMap")
        site.installation.until(lambda: site.published() == ["api.example.org A 192.0.2.1"])
