"""Standard input without a document: rather a command that failed than a cluster without objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.kube.manifests.test_folders import Desk


@pytest.mark.parametrize("stdin", [b"", b"\n", b"---\n", b"# nothing\n---\n# to see\n", b"\xef\xbb\xbf"])
def test_a_standard_input_without_a_document_is_a_mistake_and_no_empty_cluster(stdin: bytes) -> None:
    (problem,) = Desk("-", stdin=stdin).problems
    assert "no document came, as when the command before the pipe fails; allowed: " in problem


@pytest.mark.parametrize("stdin", [b'{"apiVersion": "v1", "kind": "List", "items": []}', b"kind: ConfigMap\n"])
def test_a_document_without_objects_of_ours_is_an_empty_cluster(stdin: bytes) -> None:
    assert Desk("-", stdin=stdin).problems == []


def test_an_empty_file_holds_no_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("")
    assert Desk(tmp_path).problems == []
