"""What holds for the spec of every source."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

from extdns.app.source_specs import load_spec
from extdns.flags.specs import SOURCE_SPECS
from extdns.flags.table import BY_NAME
from extdns.resources.kinds import STRUCTS
from extdns.sources.common.spec import Templating
from tests.program.process import ROOT, environment
from tests.unit.sources.made import DEFAULTS

_LOAD: Final = """
import sys
from extdns.app.sources import build_sources
from extdns.config import parse
build_sources(parse(["--source=kong-tcpingress", "--provider=inmemory"], {}))
print(*(name for name in sys.modules if name.startswith("extdns.sources.") and ".common" not in name))
"""


@pytest.mark.parametrize("name", SOURCE_SPECS.available)
def test_each_source_has_the_name_of_its_file_and_looks_up_only_kinds_that_can_be_decoded(name: str) -> None:
    spec = load_spec(name)
    assert spec.name == name
    assert set(spec.find_lookups(DEFAULTS.flags)) <= STRUCTS.keys()


def test_the_target_template_flag_is_relevant_for_the_sources_that_use_it() -> None:
    using = [name for name in SOURCE_SPECS.available if load_spec(name).templates is Templating.AT_TEMPLATE_TARGETS]
    assert sorted(BY_NAME["target-template"].sources) == using


def test_only_the_chosen_source_is_imported() -> None:
    done = subprocess.run(
        (sys.executable, "-c", _LOAD), cwd=ROOT, env=environment(), check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["extdns.sources.kong_tcpingress"]
