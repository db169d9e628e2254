"""What holds for the spec of every provider."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Final

import pytest

from extdns.flags.specs import PROVIDER_SPECS
from extdns.flags.table import PROVIDER_SECTIONS
from extdns.model.dns_name import DnsName
from extdns.model.zone import Zone
from providers.aws.spec import describe_zone
from providers.common.provider_spec import NoFlags
from tests.conformance.provider import CONDITIONAL, RIGS, SERVER_RIGS
from tests.program.process import ROOT, environment

_SDKS: Final = frozenset(sdk for name in PROVIDER_SPECS.available for sdk in PROVIDER_SPECS.load(name).sdk)
_LOAD: Final = """
import sys
from extdns.app.provider import build_offline_reader
from extdns.config import parse
build_offline_reader(parse(["--source=empty", *sys.argv[1:]], {}))
print(*sys.modules)
"""


def find_rigs(name: str, rigs: Iterable[str]) -> list[str]:
    """Return those of *rigs* that test the provider *name*."""
    return [rig for rig in rigs if f"{rig}-".startswith(f"{name}-")]


@pytest.mark.parametrize("name", PROVIDER_SPECS.available)
def test_a_provider_has_the_name_and_flags_of_its_package_and_a_rig(name: str) -> None:
    spec = PROVIDER_SPECS.load(name)
    assert spec.name == name
    assert spec.flags in {*PROVIDER_SECTIONS, NoFlags}
    assert find_rigs(name, (*RIGS, *SERVER_RIGS))


@pytest.mark.parametrize("name", PROVIDER_SPECS.available)
def test_leader_election_is_allowed_with_the_providers_whose_writes_are_conditional(name: str) -> None:
    assert PROVIDER_SPECS.load(name).conditional is bool(find_rigs(name, CONDITIONAL))


@pytest.mark.parametrize(
    ("flags", "sdks"),
    [
        pytest.param(["--provider=azure"], set[str](), id="azure"),
        pytest.param(["--provider=inmemory"], set[str](), id="inmemory"),
        pytest.param(["--provider=webhook"], set[str](), id="webhook"),
        pytest.param(["--provider=google"], {"google", "requests"}, id="google"),
        pytest.param(
            ["--provider=rfc2136", "--rfc2136-host=ns", "--rfc2136-zone=example.org", "--rfc2136-insecure"],
            set[str](),
            id="rfc2136",
        ),
    ],
)
def test_only_the_chosen_provider_and_its_sdk_are_imported_besides_flags(flags: list[str], sdks: set[str]) -> None:
    done = subprocess.run(
        (sys.executable, "-c", _LOAD, *flags), cwd=ROOT, env=environment(), check=True, capture_output=True, text=True
    )
    imported = set(done.stdout.split())
    assert _SDKS & imported == sdks
    packages = set(re.findall(r"\bproviders\.(\w+)\.(?!flags\b)", done.stdout))
    assert packages - {"common"} == {flags[0].removeprefix("--provider=")}


def test_log_fields_of_a_hosted_zone_have_the_form_of_external_dns() -> None:
    zone = Zone(name=DnsName("example.org"), id="Z1")
    assert describe_zone(zone) == {"zoneName": "example.org.", "zoneID": "/hostedzone/Z1", "profile": None}
