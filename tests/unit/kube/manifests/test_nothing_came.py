"""Standard input without a manifest: rather a command that failed than a cluster without objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.kube.manifests.test_folders import Desk


@pytest.mark.parametrize("stdin", [b"", b"\n", b"---\n", b"# nothing\n---\n# to see\n", b"\xef\xbb\xbf", b"null\n"])
def test_a_standard_input_without_a_document_is_a_mistake_and_no_empty_cluster(stdin: bytes) -> None:
    (problem,) = Desk("-", stdin=stdin).problems
    assert "no document came, as when the command before the pipe fails; allowed: " in problem


@pytest.mark.parametrize(
    "stdin", [b'{"apiVersion": "v1", "kind": "List", "items": []}', b"apiVersion: v1\nkind: ConfigMap\n"]
)
def test_a_document_without_objects_of_ours_is_an_empty_cluster(stdin: bytes) -> None:
    assert Desk("-", stdin=stdin).problems == []


@pytest.mark.parametrize(
    ("stdin", "what"),
    [
        pytest.param(b"Error: INSTALLATION FAILED\n", "no Kubernetes object", id="an-error-that-is-yaml"),
        pytest.param(b"{}", "no Kubernetes object", id="an-empty-object"),
        pytest.param(b"kind: Deployment\n", "no Kubernetes object", id="no-version"),
        pytest.param(b"apiVersion: v1\n", "no Kubernetes object", id="no-kind"),
        pytest.param(b'{"kind": "Status", "apiVersion": "v1"}', "an answer of kind Status", id="an-answer"),
    ],
)
def test_what_is_no_manifest_may_be_an_error(stdin: bytes, what: str) -> None:
    (problem,) = Desk("-", stdin=stdin).problems
    assert problem.endswith(f"what came is {what}; allowed: mappings with apiVersion and kind")


def test_an_empty_file_holds_no_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("")
    assert Desk(tmp_path).problems == []
