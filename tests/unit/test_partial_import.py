"""Modules can be imported without running their package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.partial_import import import_partially

FILES = {
    "bulky/__init__.py": "from bulky import heavy\nfrom bulky.inner import light\nEVERYTHING = True\n",
    "bulky/heavy.py": "",
    "bulky/late.py": "import bulky.inner.light\nlight = bulky.inner.light\n",
    "bulky/user.py": "from bulky.inner import light, option\n",
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


def test_a_partial_import_does_not_run_the_package() -> None:
    with import_partially("bulky", "bulky.inner", without=("extra",)):
        light = importlib.import_module("bulky.inner.light")
    assert light.extra is None
    assert loaded() == {"bulky.inner.light"}


def test_the_full_package_can_be_imported_after_a_partial_import() -> None:
    with import_partially("bulky", "bulky.inner", without=("extra",)):
        light = importlib.import_module("bulky.inner.light")
    package = importlib.import_module("bulky")
    assert package.EVERYTHING
    assert package.light is light
    assert importlib.import_module("extra").__name__ == "extra"


def test_a_second_partial_import_reuses_modules_of_the_first() -> None:
    with import_partially("bulky"):
        light = importlib.import_module("bulky.inner.light")
    with import_partially("bulky"):
        assert importlib.import_module("bulky.late").light is light


def test_modules_of_a_partial_import_find_the_given_names_and_submodules_in_its_packages() -> None:
    with import_partially("bulky", "bulky.inner", names={"bulky.inner.option": 5, "bulky.other": 6}):
        user = importlib.import_module("bulky.user")
    assert (user.option, user.light.extra.__name__) == (5, "extra")


def test_a_package_loaded_before_a_partial_import_gets_none_of_the_given_names() -> None:
    package = importlib.import_module("bulky.inner")
    with import_partially("bulky", "bulky.inner", names={"bulky.inner.option": 5}):
        assert not hasattr(package, "option")


def test_modules_loaded_before_a_partial_import_stay_loaded() -> None:
    before = importlib.import_module("bulky"), importlib.import_module("extra")
    with import_partially("bulky", "bulky.inner", without=("extra",)):
        assert (importlib.import_module("bulky"), importlib.import_module("extra")) == before
    assert (sys.modules["bulky"], sys.modules["extra"]) == before


def test_a_failed_partial_import_leaves_no_modules() -> None:
    with pytest.raises(ModuleNotFoundError), import_partially("bulky", "bulky.inner", without=("extra",)):
        importlib.import_module("bulky.absent")
    assert loaded() == set()


def test_a_partial_import_of_a_missing_package_raises() -> None:
    with pytest.raises(ModuleNotFoundError), import_partially("nowhere"):
        importlib.import_module("nowhere.light")
