"""Some modules of a package, without the rest."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.kube.excerpts import excerpt

FILES = {
    "bulky/__init__.py": "from bulky import heavy\nfrom bulky.inner import light\nEVERYTHING = True\n",
    "bulky/heavy.py": "",
    "bulky/late.py": "import bulky.inner.light\nlight = bulky.inner.light\n",
    "bulky/inner/__init__.py": "from bulky import heavy  # is found, though the package did not run\n",
    "bulky/inner/light.py": "try:\n    import extra\nexcept ImportError:\n    extra = None\n",
    "extra.py": "",
}


@pytest.fixture(autouse=True)
def bulky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in loaded():
        del sys.modules[name]


def loaded() -> set[str]:
    return {name for name in sys.modules if name.partition(".")[0] in {"bulky", "extra"}}


def test_what_a_package_imports_for_itself_is_left_out() -> None:
    with excerpt("bulky", "bulky.inner", without=("extra",)):
        light = importlib.import_module("bulky.inner.light")
    assert light.extra is None
    assert loaded() == {"bulky.inner.light"}


def test_afterwards_everybody_finds_the_whole_package() -> None:
    with excerpt("bulky", "bulky.inner", without=("extra",)):
        light = importlib.import_module("bulky.inner.light")
    whole = importlib.import_module("bulky")
    assert whole.EVERYTHING
    assert whole.light is light
    assert importlib.import_module("extra").__name__ == "extra"


def test_another_excerpt_has_what_the_first_one_loaded() -> None:
    with excerpt("bulky"):
        light = importlib.import_module("bulky.inner.light")
    with excerpt("bulky"):
        assert importlib.import_module("bulky.late").light is light


def test_what_is_loaded_already_stays() -> None:
    before = importlib.import_module("bulky"), importlib.import_module("extra")
    with excerpt("bulky", "bulky.inner", without=("extra",)):
        assert (importlib.import_module("bulky"), importlib.import_module("extra")) == before
    assert (sys.modules["bulky"], sys.modules["extra"]) == before


def test_a_failure_leaves_nothing_behind() -> None:
    with pytest.raises(ModuleNotFoundError), excerpt("bulky", "bulky.inner", without=("extra",)):
        importlib.import_module("bulky.absent")
    assert loaded() == set()


def test_a_package_that_is_not_installed_is_missed_by_its_import() -> None:
    with pytest.raises(ModuleNotFoundError), excerpt("nowhere"):
        importlib.import_module("nowhere.light")
