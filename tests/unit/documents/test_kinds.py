"""Each JSON document has its own value of `kind`."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from typing import Literal, get_args, get_origin, get_type_hints

import extdns.commands
import extdns.documents
from extdns.documents.changes import ChangeDocument
from extdns.documents.document import Document
from extdns.metrics.metrics import Metrics
from extdns.model.change import Applied, Forbidden, Refused, TryLater, Unknown, WriteConflict, spell_outcome


def list_documents() -> dict[type[Document], str]:
    """Return all document classes with their kinds."""
    for package in (extdns.commands, extdns.documents):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    return {one: kind for one in list_subclasses(Document) if (kind := find_kind(one))}


def list_subclasses(parent: type[Document]) -> set[type[Document]]:
    return {one for child in parent.__subclasses__() for one in (child, *list_subclasses(child))}


def find_kind(one: type[Document]) -> str:
    """Return the value of `kind` in documents of this class, or "" if the class is only a part of other documents."""
    if isinstance(one.__struct_config__.tag, str):
        return one.__struct_config__.tag
    hints = get_type_hints(one)
    kind = hints.get("kind")
    return str(get_args(kind)[0]) if "api_version" in hints and get_origin(kind) is Literal else ""


def test_no_two_documents_have_the_same_value_of_kind() -> None:
    kinds = Counter(list_documents().values())
    assert {kind for kind, number in kinds.items() if number > 1} == set()
    assert {"Status", "SavedState", "Plan", "RunningPlan", "NameExplanation", "Reason"} <= kinds.keys()


def test_documents_and_metrics_use_the_same_names_of_outcomes() -> None:
    outcomes = (
        Applied(records=()),
        WriteConflict(message=""),
        Refused(message=""),
        Forbidden(message=""),
        TryLater(message=""),
        Unknown(message=""),
    )
    metrics = Metrics()
    for outcome in outcomes:
        metrics.count_batch(outcome)
    names = {line.split('"')[1] for line in metrics.render().decode().splitlines() if "outcome=" in line}
    assert names == {spell_outcome(one) for one in outcomes}
    assert names == set(get_args(get_type_hints(ChangeDocument)["outcome"]))
