"""The values on the pages of docs/tutorials give the flags that the pages describe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from extdns.config import parse
from tests.chart.tools import ROOT, Helm, arguments

PAGES: Final = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
VALUES: Final = re.compile(r"```yaml values.yaml\n(.*?)```\n", re.DOTALL)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_values_of_a_tutorial_render_valid_flags(path: Path, helm: Helm) -> None:
    (block,) = VALUES.findall(path.read_text(encoding="utf-8"))
    config = parse(arguments(helm.manifests(yaml.safe_load(block))), {})
    assert config.registry.txt_owner_id == "shop"
    assert config.election.leader_elect
