"""The file watcher on a real file system. Tests wait for events, at most a number of polls."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from threading import Event

import pytest
import watchfiles

from extdns.kube.manifests import manifest_files
from extdns.kube.manifests.manifest_files import watch_files

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
