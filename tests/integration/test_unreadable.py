"""Manifests that cannot be read: no record that they requested is deleted (law 2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.objects import service
from tests.program.installation import Installation


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"{bro", id="not-json"),
        pytest.param(b"kind: [", id="not-yaml"),
        pytest.param(b"\xff\xfe\xfd", id="not-text"),
        pytest.param(
            b'{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "b", "namespace": "shop"}, "spec": []}',
            id="wrong-type",
        ),
        pytest.param(b'{"kind": "Service", "metadata": {"name": "b", "namespace": "shop"}}', id="no-version"),
    ],
)
def test_records_stay_if_their_manifest_becomes_unreadable(tmp_path: Path, content: bytes) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("a", "a.example.org"))
    broken = installation.manifests / "b.json"
    broken.write_text(json.dumps(service("b", "b.example.org")), encoding="utf-8")
    assert installation.run_once() == 0
    before = installation.zones.contents()
    broken.write_bytes(content)
    assert installation.run_once() == 1
    assert installation.zones.contents() == before
