"""Which files are read, in which order, and when they count as changed."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from extdns.kube.manifests import manifest_files
from extdns.kube.manifests.manifest_files import ManifestFile, list_files, read_file


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def listed(*paths: Path) -> list[str]:
    listing = list_files(tuple(ManifestFile.root(number, str(path)) for number, path in enumerate(paths)))
    assert not listing.unreadable
    assert list(listing.files) == sorted(listing.files)
    common = os.path.commonpath([path if path.is_dir() else path.parent for path in paths])
    return [os.path.relpath(file.path, common) for file in listing.files]


def test_folders_are_read_recursively_in_sorted_order_without_hidden_files_and_other_suffixes(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", "a/z.yml", "a/Y.JSON", "c.txt", ".hidden.yaml", ".git/x.yaml", "a.yaml", "x.yaml/in.json")
    assert listed(tmp_path) == ["a/Y.JSON", "a/z.yml", "a.yaml", "b.yaml", "x.yaml/in.json"]


def test_manifest_files_are_read_in_the_order_of_the_command_line(tmp_path: Path) -> None:
    write(tmp_path, "b/1.yaml", "a/2.yaml")
    assert listed(tmp_path / "b", tmp_path / "a") == ["b/1.yaml", "a/2.yaml"]


def test_a_file_given_on_the_command_line_may_have_any_name_and_suffix(tmp_path: Path) -> None:
    write(tmp_path, ".rendered", "x.txt")
    assert listed(tmp_path / ".rendered", tmp_path / "x.txt") == [".rendered", "x.txt"]


def test_a_file_reached_through_two_paths_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert listed(tmp_path / "a.yaml", tmp_path) == ["a.yaml"]


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    write(tmp_path, "..1/a.yaml", "..1/sub/b.yaml")
    (tmp_path / "..data").symlink_to("..1")
    (tmp_path / "a.yaml").symlink_to("..data/a.yaml")
    (tmp_path / "sub").symlink_to("..data/sub")
    assert listed(tmp_path) == ["a.yaml", "sub/b.yaml"]


def test_a_path_that_cannot_be_read_may_contain_any_file_below_it(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("a.yaml")
    write(tmp_path, "b.yaml")
    root = ManifestFile.root(0, str(tmp_path))
    gone = ManifestFile.root(1, str(tmp_path / "gone"))
    listing = list_files((root, gone))
    assert list(listing.files) == [root.child("b.yaml")]
    assert listing.unreadable == {
        root.child("a.yaml"): "Too many levels of symbolic links",
        gone: "No such file or directory",
    }
    assert listing.may_contain(gone.child("x.yaml"))
    assert not listing.may_contain(ManifestFile.root(1, str(tmp_path / "gone-too.yaml")))


def test_pipes_are_read_only_if_they_are_given_on_the_command_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert listed(tmp_path) == []
    assert listed(tmp_path / "pipe.yaml") == ["pipe.yaml"]


def test_messages_show_file_names_as_the_user_wrote_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "shop/web.yaml")
    monkeypatch.chdir(tmp_path)
    names = [
        file.name
        for path in ("shop", ".", "./shop/web.yaml")
        for file in list_files((ManifestFile.root(0, path),)).files
    ]
    assert names == ["shop/web.yaml", "shop/web.yaml", "./shop/web.yaml"]
    assert ManifestFile.root(0, "-").name == "standard input"


def test_a_file_name_that_is_not_text_is_shown_printable(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    (tmp_path / name).write_text("text")
    [file] = list_files((ManifestFile.root(0, str(tmp_path)),)).files
    assert file.name.endswith("/?.yaml")
    assert read_file(file.path) == b"text"


def test_an_edit_changes_the_stamp_by_which_a_changed_file_is_recognized(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "b.yaml")
    roots = (ManifestFile.root(0, str(tmp_path)),)
    before = list_files(roots)
    assert list_files(roots) == before
    (tmp_path / "a.yaml").write_text("other")
    changed = [file.path for file, stamp in list_files(roots).files.items() if before.files[file] != stamp]
    assert changed == [str(tmp_path / "a.yaml")]


def test_a_file_above_the_size_limit_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_files, "MAX_FILE_BYTES", 2 * 1024**2)
    (tmp_path / "a.yaml").write_bytes(b"x" * 2 * 1024**2)
    assert len(read_file(str(tmp_path / "a.yaml"))) == 2 * 1024**2
    (tmp_path / "a.yaml").write_bytes(b"x" * (2 * 1024**2 + 1))
    with pytest.raises(OSError, match="larger than 2 MiB"):
        read_file(str(tmp_path / "a.yaml"))
    with pytest.raises(OSError, match="larger than 2 MiB"):
        read_file("-", io.BytesIO(b"x" * 3 * 1024**2))


def test_standard_input_is_read_to_its_end() -> None:
    assert read_file("-", io.BytesIO(b"abc")) == b"abc"
