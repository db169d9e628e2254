"""Functions of the planner take values that nothing can change, so a plan depends on its arguments only."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import types
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from extdns import planner
from extdns.model.selection import DomainFilter
from extdns.model.value import Value
from extdns.ports import Registry

READ_ONLY: Final = {Mapping, Sequence, Collection, Container, Iterable, Iterator, Callable, tuple, frozenset}
PLAIN: Final = (str, int, float, bool, types.NoneType, types.EllipsisType, tuple, Enum, Value, DomainFilter)
MODULES: Final = [
    importlib.import_module(f"extdns.planner.{one.name}") for one in pkgutil.iter_modules(planner.__path__)
]


def find_changeable(hint: object) -> list[object]:
    """Return the parts of a type that can be changed."""
    origin = get_origin(hint)
    if isinstance(hint, list):  # the parameters of a function
        return [found for one in hint for found in find_changeable(one)]
    if origin is not None:
        own = [] if origin in READ_ONLY | {Union, types.UnionType} else [hint]
        return own + [found for one in get_args(hint) for found in find_changeable(one)]
    is_fixed = hint in (Registry, Any, ...) or (isinstance(hint, type) and issubclass(hint, PLAIN))
    return [] if is_fixed else [hint]


def list_hints() -> dict[str, object]:
    """Return the types of the parameters of every public function and method, and of the fields of every value."""
    found: dict[str, object] = {}
    for module in MODULES:
        for name, one in vars(module).items():
            if getattr(one, "__module__", "") != module.__name__ or name.startswith("_"):
                continue
            methods = vars(one).values() if isinstance(one, type) else ()
            if isinstance(one, type):
                found |= {f"{name}: {field}": hint for field, hint in get_type_hints(one).items()}
            for work in filter(inspect.isfunction, (one, *methods)):
                hints = get_type_hints(work)
                found |= {f"{work.__qualname__}({field})": hints[field] for field in hints if field != "return"}
    return found


def test_no_parameter_and_no_value_of_the_planner_can_be_changed() -> None:
    hints = list_hints()
    assert "plan_name(view)" in hints
    assert "NameView: current" in hints
    assert {name: changeable for name, hint in hints.items() if (changeable := find_changeable(hint))} == {}
