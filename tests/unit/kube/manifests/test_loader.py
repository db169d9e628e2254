"""The loader reads changed files, and reads a file twice before it removes objects."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import BinaryIO

import pytest

from extdns.errors import UsageError
from extdns.kube.manifests import loader, manifest_files
from extdns.kube.manifests.loader import ManifestLoader
from extdns.kube.manifests.manifest_files import ManifestFile
from extdns.model.kind import ObjectKey
from extdns.resources.core import SERVICE, Service


def service(name: str, type_: str = "") -> str:
    spec = f"spec: {{type: {type_}}}\n" if type_ else ""
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n{spec}"


def key(name: str) -> ObjectKey:
    return ObjectKey(SERVICE, "shop", name)


class LoaderScene:
    """A loader over a folder."""

    def __init__(self, *paths: Path | str, stdin: bytes = b"") -> None:
        self.folders = ManifestLoader([str(path) for path in paths], stdin=io.BytesIO(stdin))
        self.folders.refresh()

    def refresh(self) -> None:
        """Let the loader read changed files once, so that what is worse is suspect."""
        self.folders.refresh()

    def refresh_until_stable(self) -> None:
        """Let the loader read changed files twice, so that they count whatever they hold."""
        self.refresh()
        self.refresh()

    @property
    def objects(self) -> dict[str, str]:
        """The type of each loaded Service by name."""
        catalogue = self.folders.index
        types: dict[str, str] = {}
        for at in sorted(catalogue.list_keys(SERVICE)):
            obj = catalogue.get(at)
            assert isinstance(obj, Service)
            types[at.name] = obj.spec.type
        return types

    @property
    def problems(self) -> list[str]:
        """The reported problems, with locations relative to the folder."""
        return [f"{Path(location).name}: {text}" for (location, _), text in self.folders.index.find_problems().items()]

    def exists(self, name: str) -> bool | None:
        return self.folders.exists(key(name))


@pytest.mark.parametrize("name", ["gone.yaml", "gone/", "file.yaml/x"])
def test_a_path_that_does_not_exist_at_the_start_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.yaml").write_text("")
    with pytest.raises(
        UsageError, match=f"^--manifests={tmp_path}/{name} cannot be read: .* directory; allowed: a file, "
    ):
        ManifestLoader([f"{tmp_path}/{name}"], stdin=None)


def test_the_loader_detects_edits_new_files_and_removals(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a") + "---\n" + service("b"))
    scene = LoaderScene(tmp_path)
    assert scene.objects == {"a": "", "b": ""}
    (tmp_path / "c.yaml").write_text(service("c"))
    (tmp_path / "a.yaml").write_text(service("a", "NodePort"))
    scene.refresh_until_stable()
    assert scene.objects == {"a": "NodePort", "c": ""}
    (tmp_path / "c.yaml").unlink()
    scene.refresh_until_stable()
    assert scene.objects == {"a": "NodePort"}
    assert scene.folders.index.take_changed() == {key("a"), key("b"), key("c")}
    assert scene.folders.index.take_changed() == set()


def test_an_object_that_is_read_again_unchanged_is_no_change_and_stays_the_same_value_in_memory(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a"))
    scene = LoaderScene(tmp_path)
    before = scene.folders.index.get(key("a"))
    scene.folders.index.take_changed()
    (tmp_path / "a.yaml").write_text("# comment\n" + service("a"))
    scene.refresh_until_stable()
    assert scene.folders.index.get(key("a")) is before
    assert scene.folders.index.take_changed() == set()


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"a: [", id="syntax"),
        pytest.param(b"\xff\xfe\x00\xd8", id="bytes"),
        pytest.param(service("a").replace("name", "nam").encode(), id="name-lost"),
        pytest.param(service("a").replace("kind", "knd").encode(), id="kind-lost"),
        pytest.param(service("a").replace("v1", "[v1").encode(), id="half-edited"),
    ],
)
def test_objects_of_a_file_that_becomes_invalid_stay_until_the_file_is_corrected(tmp_path: Path, broken: bytes) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    scene = LoaderScene(tmp_path)
    file.write_bytes(broken)
    scene.refresh_until_stable()
    assert scene.objects == {"a": "NodePort", "b": ""}
    assert len(scene.problems) == 1
    assert scene.exists("b") is None
    file.write_text(service("a"))
    scene.refresh_until_stable()
    assert (scene.objects, scene.problems) == ({"a": ""}, [])
    assert scene.exists("b") is False


def test_an_invalid_object_stays_and_other_objects_missing_from_its_file_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    scene = LoaderScene(tmp_path)
    file.write_text(service("a", "60"))
    scene.refresh_until_stable()
    assert scene.objects == {"a": "NodePort"}
    assert scene.problems == ["a.yaml:1: spec.type is the number 60; allowed: a string, so quote it"]
    assert (scene.exists("a"), scene.exists("b")) == (True, False)


def test_an_object_whose_manifest_was_always_invalid_counts_as_existing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a", "60"))
    scene = LoaderScene(tmp_path)
    assert scene.objects == {}
    assert scene.exists("a") is True


def test_objects_of_a_file_that_becomes_too_large_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    scene = LoaderScene(tmp_path)
    monkeypatch.setattr(manifest_files, "MAX_FILE_BYTES", 1024**2)
    file.write_bytes(b" " * (1024**2 + 1))
    scene.refresh_until_stable()
    assert scene.objects == {"a": ""}
    assert scene.problems == ["a.yaml: cannot be read: larger than 1 MiB"]
    assert scene.exists("z") is None
    monkeypatch.undo()
    scene.refresh_until_stable()  # tried again though the file is unchanged
    assert (scene.objects, scene.problems) == ({}, [])


def test_a_file_removed_between_listing_and_reading_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(service("a"))
    (tmp_path / "b.yaml").write_text(service("b"))

    def remove_before_read(path: str, stdin: BinaryIO | None = None) -> bytes:
        if path.endswith("b.yaml"):
            Path(path).unlink()
        return manifest_files.read_file(path, stdin)

    monkeypatch.setattr(loader, "read_file", remove_before_read)
    scene = LoaderScene(tmp_path)
    assert (scene.objects, scene.problems) == ({"a": ""}, [])
    assert scene.exists("b") is False


def test_a_file_removed_while_its_folder_is_listed_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(service("a"))
    scene = LoaderScene(tmp_path)
    removed = ManifestFile.root(0, str(tmp_path)).child("b.yaml")
    list_children = manifest_files._list_children
    monkeypatch.setattr(manifest_files, "_list_children", lambda folder: [*list_children(folder), removed])
    scene.refresh()
    assert (scene.objects, scene.problems) == ({"a": ""}, [])
    assert scene.exists("b") is False


def test_a_link_whose_target_is_gone_is_reported_and_its_objects_stay(tmp_path: Path) -> None:
    (tmp_path / "old").write_text(service("a"))
    (tmp_path / "a.yaml").symlink_to("old")
    scene = LoaderScene(tmp_path)
    (tmp_path / "old").unlink()
    scene.refresh_until_stable()
    assert scene.objects == {"a": ""}
    assert scene.problems == ["a.yaml: cannot be read: No such file or directory"]


@pytest.mark.parametrize("named", ["folder", "folder/a.yaml"])
def test_a_path_that_disappears_while_extdns_runs_removes_no_objects(tmp_path: Path, named: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.yaml").write_text(service("a"))
    scene = LoaderScene(tmp_path / named)
    (tmp_path / "folder").rename(tmp_path / "elsewhere")
    scene.refresh_until_stable()
    assert scene.objects == {"a": ""}
    assert scene.problems == [f"{Path(named).name}: cannot be read: No such file or directory"]
    assert (scene.exists("a"), scene.exists("b")) == (True, None)
    (tmp_path / "elsewhere").rename(tmp_path / "folder")
    scene.refresh_until_stable()
    assert (scene.objects, scene.problems) == ({"a": ""}, [])


@pytest.mark.parametrize(
    "worse",
    [
        pytest.param("", id="emptied"),
        pytest.param(None, id="moved-away"),
        pytest.param(service("b"), id="half-written"),
        pytest.param("a: [", id="broken"),
    ],
)
def test_objects_missing_from_a_file_that_has_just_changed_are_not_removed_yet(
    tmp_path: Path, worse: str | None
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    scene = LoaderScene(tmp_path)
    if worse is None:
        file.unlink()
    else:
        file.write_text(worse)
    scene.refresh()
    assert (scene.objects, scene.problems) == ({"a": ""}, [])
    assert scene.exists("a") is None
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    scene.refresh()
    assert (scene.objects, scene.problems) == ({"a": "NodePort", "b": ""}, [])
    assert scene.exists("c") is False


def test_a_file_that_changes_again_must_be_the_same_in_two_more_readings_before_objects_are_removed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    scene = LoaderScene(tmp_path)
    for text in ("", "# still writing"):
        file.write_text(text)
        scene.refresh()
        assert scene.objects == {"a": ""}
    scene.refresh()
    assert scene.objects == {}


def test_an_edit_in_the_tick_of_the_clock_in_which_the_file_was_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = time.time_ns()
    monkeypatch.setattr(manifest_files, "_build_stamp", lambda status: (1, status.st_ino, 1, now_ns, now_ns))
    (tmp_path / "a.yaml").write_text(service("a", "A"))
    scene = LoaderScene(tmp_path)
    (tmp_path / "a.yaml").write_text(service("a", "B"))
    scene.refresh()
    assert scene.objects == {"a": "B"}


def test_the_wait_before_objects_are_removed_ends_when_the_file_is_moved_back(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    (tmp_path / "hard.txt").hardlink_to(file)
    scene = LoaderScene(tmp_path)
    file.unlink()
    scene.refresh()
    (tmp_path / "a.yaml").hardlink_to(tmp_path / "hard.txt")
    scene.refresh_until_stable()
    assert scene.objects == {"a": ""}
    assert scene.exists("a") is True


def test_if_two_files_have_the_same_object_the_first_is_used_and_the_other_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("\n" + service("web", "NodePort"))
    (tmp_path / "b.yaml").write_text(service("web"))
    scene = LoaderScene(tmp_path)
    assert scene.objects == {"web": "NodePort"}
    message = f"b.yaml:1: Service shop/web is also in {tmp_path}/a.yaml:2, which is used"
    assert scene.problems == [message]
    (tmp_path / "a.yaml").unlink()
    scene.refresh_until_stable()
    assert (scene.objects, scene.problems) == ({"web": ""}, [])
    (tmp_path / "a.yaml").write_text("\n" + service("web", "NodePort"))
    scene.refresh_until_stable()
    assert (scene.objects, scene.problems) == ({"web": "NodePort"}, [message])


def test_a_valid_manifest_is_preferred_to_an_earlier_one_that_became_unreadable(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(service("web", "NodePort"))
    scene = LoaderScene(tmp_path)
    second.write_text(service("web", "ClusterIP") + "---\na: [\n---\n" + service("api", "60"))
    first.write_text("a: [")
    scene.refresh_until_stable()
    assert scene.objects == {"web": "ClusterIP"}
    assert [problem.partition(" ")[0] for problem in scene.problems] == ["a.yaml:2:", "b.yaml:7:", "b.yaml:8:"]
    second.unlink()
    scene.refresh_until_stable()
    assert scene.objects == {"web": "NodePort"}


def test_standard_input_is_read_once_and_ranks_in_the_order_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web", "File") + "---\n" + service("api"))
    scene = LoaderScene("-", tmp_path, stdin=service("web", "Input").encode())
    for _ in range(2):
        assert scene.objects == {"api": "", "web": "Input"}
        assert scene.problems == ["a.yaml:1: Service shop/web is also in standard input:1, which is used"]
        scene.refresh_until_stable()


# Standard input without a manifest means that a command failed, not that the cluster is empty


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
