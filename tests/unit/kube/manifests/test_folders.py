"""What changes on disk, and what is believed of it: removals, breakage, doubt."""

from __future__ import annotations

import io
from collections.abc import Collection
from pathlib import Path

import pytest

from extdns.errors import UsageError
from extdns.kube.manifests import files
from extdns.kube.manifests.folders import SETTLE_S, Folders
from extdns.model.cluster import ObjectKey
from extdns.model.objects import SERVICE, Service


def service(name: str, type_: str = "") -> str:
    spec = f"spec: {{type: {type_}}}\n" if type_ else ""
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n{spec}"


def key(name: str) -> ObjectKey:
    return ObjectKey(SERVICE, "shop", name)


class Desk:
    """Folders with a clock to move."""

    def __init__(self, *paths: Path | str, stdin: bytes = b"") -> None:
        self.now_s = 0.0
        self.folders = Folders([str(path) for path in paths], stdin=io.BytesIO(stdin), monotonic=lambda: self.now_s)
        self.folders.look()

    def look(self, touched: Collection[Path] | None = None) -> None:
        """Look as soon as something happens, while nothing has settled."""
        self.folders.look(None if touched is None else [str(path) for path in touched])

    def settle(self) -> None:
        """Look, wait, and look again."""
        self.look()
        self.now_s += SETTLE_S
        if self.folders.is_due():
            self.look()

    @property
    def objects(self) -> dict[str, str]:
        """The type of each Service by name."""
        catalogue = self.folders.catalogue
        types: dict[str, str] = {}
        for at in sorted(catalogue.keys(SERVICE)):
            obj = catalogue.get(at)
            assert isinstance(obj, Service)
            types[at.name] = obj.spec.type
        return types

    @property
    def problems(self) -> list[str]:
        """Places, without their folder, and messages."""
        return [f"{Path(place).name}: {text}" for (place, _), text in self.folders.catalogue.problems().items()]

    def exists(self, name: str) -> bool | None:
        return self.folders.exists(key(name))


@pytest.mark.parametrize("name", ["gone.yaml", "gone/", "file.yaml/x"])
def test_a_path_that_does_not_exist_at_start_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.yaml").write_text("")
    with pytest.raises(
        UsageError, match=f"^--manifests={tmp_path}/{name} cannot be read: .* directory; allowed: a file, "
    ):
        Folders([f"{tmp_path}/{name}"], stdin=None, monotonic=lambda: 0.0)


def test_edits_new_files_and_removals_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a") + "---\n" + service("b"))
    desk = Desk(tmp_path)
    assert desk.objects == {"a": "", "b": ""}
    (tmp_path / "c.yaml").write_text(service("c"))
    (tmp_path / "a.yaml").write_text(service("a", "NodePort"))
    desk.settle()
    assert desk.objects == {"a": "NodePort", "c": ""}
    (tmp_path / "c.yaml").unlink()
    desk.settle()
    assert desk.objects == {"a": "NodePort"}
    assert desk.folders.catalogue.take_changed() == {key("a"), key("b"), key("c")}
    assert desk.folders.catalogue.take_changed() == set()


def test_of_files_that_are_named_only_those_are_read(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(service("a"))
    two.write_text(service("b"))
    desk = Desk(tmp_path)
    one.write_text(service("a", "NodePort"))
    two.write_text(service("b", "NodePort"))
    desk.look([one])
    assert desk.objects == {"a": "NodePort", "b": ""}


def test_what_an_editor_put_in_the_place_of_a_file_is_no_reason_to_read_others(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(service("a"))
    two.write_text(service("b"))
    desk = Desk(tmp_path)
    draft = tmp_path / ".one.swp"
    draft.write_text(service("a", "NodePort"))
    draft.replace(one)
    two.write_text(service("b", "NodePort"))
    desk.look([draft, one])
    assert desk.objects == {"a": "NodePort", "b": ""}


@pytest.mark.parametrize("touched", ["new.yaml", ".hidden", "gone.yaml", "link.yaml"])
def test_when_anything_else_is_named_all_is_looked_at(tmp_path: Path, touched: str) -> None:
    for name in ("one", "gone", "new"):
        (tmp_path / f"{name}.yaml").write_text(service(name))
    (tmp_path / "link.yaml").symlink_to("gone.yaml")
    desk = Desk(tmp_path / "one.yaml", tmp_path / "gone.yaml")
    (tmp_path / "gone.yaml").unlink()
    (tmp_path / "one.yaml").write_text(service("one", "NodePort"))
    desk.look([tmp_path / touched])
    assert desk.objects["one"] == "NodePort"


def test_an_object_that_is_read_again_unchanged_is_no_change_and_in_memory_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a"))
    desk = Desk(tmp_path)
    before = desk.folders.catalogue.get(key("a"))
    desk.folders.catalogue.take_changed()
    (tmp_path / "a.yaml").write_text("# comment\n" + service("a"))
    desk.settle()
    assert desk.folders.catalogue.get(key("a")) is before
    assert desk.folders.catalogue.take_changed() == set()


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
def test_what_a_broken_file_described_stays_until_it_is_mended(tmp_path: Path, broken: bytes) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    desk = Desk(tmp_path)
    file.write_bytes(broken)
    desk.settle()
    assert desk.objects == {"a": "NodePort", "b": ""}
    assert len(desk.problems) == 1
    assert desk.exists("b") is None
    file.write_text(service("a"))
    desk.settle()
    assert (desk.objects, desk.problems) == ({"a": ""}, [])
    assert desk.exists("b") is False


def test_a_document_whose_object_is_known_keeps_that_one_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    desk = Desk(tmp_path)
    file.write_text(service("a", "60"))
    desk.settle()
    assert desk.objects == {"a": "NodePort"}
    assert desk.problems == ["a.yaml:4: spec.type is the number 60; allowed: a string, so quote it"]
    assert (desk.exists("a"), desk.exists("b")) == (True, False)


def test_an_object_that_was_never_read_well_exists_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("a", "60"))
    desk = Desk(tmp_path)
    assert desk.objects == {}
    assert desk.exists("a") is True


def test_a_file_that_cannot_be_read_keeps_its_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    desk = Desk(tmp_path)
    monkeypatch.setattr(files, "MAX_BYTES", 1024**2)
    file.write_bytes(b" " * (1024**2 + 1))
    desk.settle()
    assert desk.objects == {"a": ""}
    assert desk.problems == ["a.yaml: cannot be read: larger than 1 MiB"]
    assert desk.exists("z") is None
    monkeypatch.undo()
    desk.settle()  # tried again though the file is unchanged
    assert (desk.objects, desk.problems) == ({}, [])


def test_a_link_to_nowhere_is_told_and_hides_what_it_led_to(tmp_path: Path) -> None:
    (tmp_path / "old").write_text(service("a"))
    (tmp_path / "a.yaml").symlink_to("old")
    desk = Desk(tmp_path)
    (tmp_path / "old").unlink()
    desk.settle()
    assert desk.objects == {"a": ""}
    assert desk.problems == ["a.yaml: cannot be read: No such file or directory"]


@pytest.mark.parametrize("named", ["folder", "folder/a.yaml"])
def test_a_path_that_vanishes_while_running_is_no_absence(tmp_path: Path, named: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.yaml").write_text(service("a"))
    desk = Desk(tmp_path / named)
    (tmp_path / "folder").rename(tmp_path / "elsewhere")
    desk.settle()
    assert desk.objects == {"a": ""}
    assert desk.problems == [f"{Path(named).name}: cannot be read: No such file or directory"]
    assert (desk.exists("a"), desk.exists("b")) == (True, None)
    (tmp_path / "elsewhere").rename(tmp_path / "folder")
    desk.settle()
    assert (desk.objects, desk.problems) == ({"a": ""}, [])


@pytest.mark.parametrize(
    "worse",
    [
        pytest.param("", id="emptied"),
        pytest.param(None, id="moved-away"),
        pytest.param(service("b"), id="half-written"),
        pytest.param("a: [", id="broken"),
    ],
)
def test_a_file_that_gets_worse_is_believed_on_a_second_look_only(tmp_path: Path, worse: str | None) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    desk = Desk(tmp_path)
    if worse is None:
        file.unlink()
    else:
        file.write_text(worse)
    desk.look()
    assert (desk.objects, desk.problems) == ({"a": ""}, [])
    assert desk.exists("a") is None
    assert not desk.folders.is_due()
    desk.now_s += SETTLE_S / 2
    desk.look()
    assert (desk.objects, desk.problems) == ({"a": ""}, [])
    file.write_text(service("a", "NodePort") + "---\n" + service("b"))
    desk.look()
    assert (desk.objects, desk.problems) == ({"a": "NodePort", "b": ""}, [])
    desk.now_s += SETTLE_S
    assert not desk.folders.is_due()


def test_doubt_begins_anew_when_the_file_changes_again(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    desk = Desk(tmp_path)
    file.write_text("")
    desk.look([file])
    desk.now_s += SETTLE_S
    file.write_text("# still writing")
    desk.look([file])
    assert desk.objects == {"a": ""}
    desk.now_s += SETTLE_S
    desk.look([file])
    assert desk.objects == {}


def test_doubt_ends_when_a_file_is_moved_back(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(service("a"))
    (tmp_path / "hard.txt").hardlink_to(file)
    desk = Desk(tmp_path)
    file.unlink()
    desk.look()
    (tmp_path / "a.yaml").hardlink_to(tmp_path / "hard.txt")
    desk.settle()
    assert desk.objects == {"a": ""}
    assert desk.exists("a") is True


def test_the_first_of_two_files_counts_and_the_other_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("\n" + service("web", "NodePort"))
    (tmp_path / "b.yaml").write_text(service("web"))
    desk = Desk(tmp_path)
    assert desk.objects == {"web": "NodePort"}
    told = f"b.yaml:1: Service shop/web is also in {tmp_path}/a.yaml:2, which counts"
    assert desk.problems == [told]
    (tmp_path / "a.yaml").unlink()
    desk.settle()
    assert (desk.objects, desk.problems) == ({"web": ""}, [])
    (tmp_path / "a.yaml").write_text("\n" + service("web", "NodePort"))
    desk.settle()
    assert (desk.objects, desk.problems) == ({"web": "NodePort"}, [told])


def test_standard_input_is_read_once_and_ranks_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(service("web", "File") + "---\n" + service("api"))
    desk = Desk("-", tmp_path, stdin=service("web", "Input").encode())
    for _ in range(2):
        assert desk.objects == {"api": "", "web": "Input"}
        assert desk.problems == ["a.yaml:1: Service shop/web is also in standard input:1, which counts"]
        desk.settle()
