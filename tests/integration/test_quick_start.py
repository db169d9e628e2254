"""The part of docs/quick-start.md about a cluster, with a fake API server in place of the kind cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from tests.fakes.apiserver.server import ApiServer
from tests.integration.test_how_to import BLOCK, ROOT
from tests.program.installation import Installation

PAGE: Final = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")


def test_the_service_of_the_quick_start_is_published_from_a_cluster(tmp_path: Path) -> None:
    (text,) = [block["text"] for block in BLOCK.finditer(PAGE) if block["file"] == "web.yaml"]
    web = yaml.safe_load(text)
    web["metadata"]["namespace"] = "default"  # kubectl fills it in
    with ApiServer() as server:
        installation = Installation(tmp_path, server, sources=("service",), shop_example="")
        installation.apply(web)
        assert installation.run_once() == 0
    assert installation.zones.published("shop.example") == ["www.shop.example A 203.0.113.10"]
