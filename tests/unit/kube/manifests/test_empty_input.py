"""Standard input without a manifest means that a command failed, not that the cluster is empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.kube.manifests.test_loader import LoaderScene


@pytest.mark.parametrize("stdin", [b"", b"\n", b"---\n", b"# nothing\n---\n# to see\n", b"\xef\xbb\xbf", b"null\n"])
def test_empty_standard_input_is_a_problem_and_does_not_count_as_an_empty_cluster(stdin: bytes) -> None:
    (problem,) = LoaderScene("-", stdin=stdin).problems
    assert "there is no document, perhaps because the command before the pipe failed; allowed: " in problem


@pytest.mark.parametrize(
    "stdin", [b'{"apiVersion": "v1", "kind": "List", "items": []}', b"apiVersion: v1\nkind: ConfigMap\n"]
)
def test_a_list_without_items_on_standard_input_counts_as_an_empty_cluster(stdin: bytes) -> None:
    assert LoaderScene("-", stdin=stdin).problems == []


@pytest.mark.parametrize(
    ("stdin", "what"),
    [
        pytest.param(b"Error: INSTALLATION FAILED\n", "not a Kubernetes object", id="an-error-that-is-yaml"),
        pytest.param(b"{}", "not a Kubernetes object", id="an-empty-object"),
        pytest.param(b"kind: Deployment\n", "not a Kubernetes object", id="no-version"),
        pytest.param(b"apiVersion: v1\n", "not a Kubernetes object", id="no-kind"),
        pytest.param(b'{"kind": "Status", "apiVersion": "v1"}', "a response of kind Status", id="an-answer"),
    ],
)
def test_standard_input_that_is_no_manifest_is_a_problem(stdin: bytes, what: str) -> None:
    (problem,) = LoaderScene("-", stdin=stdin).problems
    assert problem.endswith(f"the document is {what}; allowed: mappings with apiVersion and kind")


def test_an_empty_file_counts_as_a_file_without_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("")
    assert LoaderScene(tmp_path).problems == []
