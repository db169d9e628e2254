"""Which files are read, in which order, and when they count as changed."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from threading import Event

import pytest
import watchfiles

from extdns.kube.manifests import manifest_files
from extdns.kube.manifests.manifest_files import ManifestFile, is_regular_file, list_files, read_file, watch_files


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


def test_links_and_folders_are_not_regular_files(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    assert [is_regular_file(str(tmp_path / name)) for name in ("a.yaml", "b.yaml", "", "c.yaml")] == [
        True,
        False,
        False,
        False,
    ]


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


# The file watcher on a real file system. Tests wait for events, at most a number of polls


ROUNDS = 100


class Watch:
    """A file watcher on real paths, with a method that waits for changes."""

    def __init__(self, *paths: Path) -> None:
        self._stop = Event()
        self._seen = watch_files([str(path) for path in paths], self._stop)
        assert next(self._seen) is None
        assert next(self._seen) is None  # from here on, every edit is reported

    def sees(self, path: Path) -> bool:
        """Return whether a change of *path*, or of any path, is reported."""
        return any(
            touched is None or str(path) in touched for touched, _ in zip(self._seen, range(ROUNDS), strict=False)
        )

    def close(self) -> None:
        self._stop.set()
        assert list(self._seen)[1:] == []


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda path: path.write_text("b"), id="written"),
        pytest.param(lambda path: path.unlink(), id="removed"),
        pytest.param(lambda path: path.with_name("tmp").replace(path), id="replaced"),
    ],
)
@pytest.mark.parametrize("watched", ["folder", "folder/a.yaml"])
def test_the_file_watcher_reports_files_that_are_written_removed_or_replaced(
    tmp_path: Path, watched: str, edit: object
) -> None:
    assert callable(edit)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.yaml").write_text("a")
    (folder / "tmp").write_text("tmp")
    watch = Watch(tmp_path / watched)
    edit(folder / "a.yaml")
    assert watch.sees(folder / "a.yaml")
    watch.close()


def test_the_file_watcher_reports_files_in_new_folders(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    (tmp_path / "sub").mkdir()
    assert watch.sees(tmp_path / "sub")
    (tmp_path / "sub" / "a.yaml").write_text("a")
    assert watch.sees(tmp_path / "sub" / "a.yaml")
    watch.close()


def test_after_a_watched_folder_is_replaced_the_new_folder_is_watched(tmp_path: Path) -> None:
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
    link, new = tmp_path / "current", tmp_path / "new"
    link.symlink_to("v1")
    new.symlink_to("v2")
    watch = Watch(link)
    new.replace(link)
    assert watch.sees(link)
    assert watch.sees(link)  # all files are checked once more when the new folder is watched
    (tmp_path / "v2" / "a.yaml").write_text("a")
    assert watch.sees(link / "a.yaml")
    watch.close()


def test_a_removed_path_is_watched_again_when_it_exists_again(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    watch = Watch(folder)
    shutil.rmtree(folder)
    assert watch.sees(folder)
    folder.mkdir()
    assert watch.sees(folder)
    watch.close()


def test_watching_no_paths_reports_one_check_of_all_files_and_ends() -> None:
    assert list(watch_files([], Event())) == [None]


def test_if_files_cannot_be_watched_all_files_are_checked_periodically(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(*_: object, **__: object) -> Iterator[object]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watchfiles, "watch", watch)
    monkeypatch.setattr(manifest_files, "_RETRY_WATCH_S", 0.0)
    seen: Iterator[Collection[str] | None] = watch_files([str(tmp_path)], Event())
    assert [touched for touched, _ in zip(seen, range(3), strict=False)] == [None] * 3


def test_all_files_are_also_checked_after_a_number_of_quiet_polls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        return iter([set[tuple[int, str]]()] * 400)

    monkeypatch.setattr(watchfiles, "watch", watch)
    seen = watch_files([str(tmp_path)], Event())
    yielded = [touched for touched, _ in zip(seen, range(122), strict=False)]
    assert [number for number, touched in enumerate(yielded) if touched is None] == [0, 1, 61, 121]
