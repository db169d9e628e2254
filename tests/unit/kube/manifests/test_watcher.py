"""Noticing edits on a real file system. Waits are for events, bounded by rounds, never by the clock."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from threading import Event

import pytest
import watchfiles

from extdns.kube.manifests import watcher
from extdns.kube.manifests.watcher import follow

ROUNDS = 100


class Watch:
    """Follows paths; each wait is for what was changed before it."""

    def __init__(self, *paths: Path) -> None:
        self._stop = Event()
        self._seen = follow([str(path) for path in paths], self._stop)
        assert next(self._seen) is None
        assert next(self._seen) is None  # from here on nothing goes unseen

    def sees(self, path: Path) -> bool:
        """Whether *path*, or that anything may have changed, is told."""
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
def test_edits_are_told(tmp_path: Path, watched: str, edit: object) -> None:
    assert callable(edit)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.yaml").write_text("a")
    (folder / "tmp").write_text("tmp")
    watch = Watch(tmp_path / watched)
    edit(folder / "a.yaml")
    assert watch.sees(folder / "a.yaml")
    watch.close()


def test_new_folders_are_followed(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    (tmp_path / "sub").mkdir()
    assert watch.sees(tmp_path / "sub")
    (tmp_path / "sub" / "a.yaml").write_text("a")
    assert watch.sees(tmp_path / "sub" / "a.yaml")
    watch.close()


def test_a_folder_that_is_replaced_is_followed_to_its_new_place(tmp_path: Path) -> None:
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
    link, new = tmp_path / "current", tmp_path / "new"
    link.symlink_to("v1")
    new.symlink_to("v2")
    watch = Watch(link)
    new.replace(link)
    assert watch.sees(link)
    assert watch.sees(link)  # all is looked at once more when the new place is watched
    (tmp_path / "v2" / "a.yaml").write_text("a")
    assert watch.sees(link / "a.yaml")
    watch.close()


def test_a_path_that_is_gone_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    watch = Watch(folder)
    shutil.rmtree(folder)
    assert watch.sees(folder)
    folder.mkdir()
    assert watch.sees(folder)
    watch.close()


def test_without_paths_there_is_one_look() -> None:
    assert list(follow([], Event())) == [None]


def test_where_nothing_can_be_watched_all_is_looked_at_time_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(*_: object, **__: object) -> Iterator[object]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watchfiles, "watch", watch)
    monkeypatch.setattr(watcher, "_WITHOUT_WATCH_S", 0.0)
    seen: Iterator[Collection[str] | None] = follow([str(tmp_path)], Event())
    assert [touched for touched, _ in zip(seen, range(3), strict=False)] == [None] * 3


def test_all_is_looked_at_every_so_many_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def watch(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        return iter([set[tuple[int, str]]()] * 400)

    monkeypatch.setattr(watchfiles, "watch", watch)
    seen = follow([str(tmp_path)], Event())
    told = [touched for touched, _ in zip(seen, range(122), strict=False)]
    assert [number for number, touched in enumerate(told) if touched is None] == [0, 1, 61, 121]
