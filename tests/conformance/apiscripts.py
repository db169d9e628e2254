"""Hypothesis generators for requests about Ingresses: of all ways to write one, and some to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from tests.conformance.apiserver import ingress
from tests.fakes.apiserver.probe import APPLY, JSON_PATCH, MERGE

LATEST: Final = "the latest version"
"""Stands for the resourceVersion that the object has when the request is made."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A request behind the path of a namespace; the path begins with the name of the object it is about, if any.

    Attributes:
        onto: the body is laid over the object as it is when the request is made.
    """

    method: str
    at: str
    body: Any = None
    content_type: str = "application/json"
    onto: bool = False


_VALUES: Final = st.recursive(
    st.sampled_from([0, 1, "x", None, 1.5]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=2),
    max_leaves=5,
)
_FIELDS: Final = st.dictionaries(st.sampled_from("pqr"), _VALUES, max_size=2)
_HALVES: Final = st.fixed_dictionaries({}, optional={"spec": _FIELDS, "status": _FIELDS})
_ALL: Final = st.fixed_dictionaries({}, optional={"spec": _FIELDS, "status": _FIELDS, "other": _VALUES})
_LABEL_KEYS: Final = st.sampled_from(["app", "tier"])
_LABEL_VALUES: Final = st.sampled_from(["x", "y", ""])
_LABELS: Final = st.dictionaries(_LABEL_KEYS, _LABEL_VALUES, max_size=2)
_SOME_LABELS: Final = st.dictionaries(_LABEL_KEYS, _LABEL_VALUES, min_size=1)
_APPLIED_METADATA: Final = st.fixed_dictionaries(
    {}, optional={"labels": _SOME_LABELS, "annotations": _SOME_LABELS, "resourceVersion": st.just(LATEST)}
)
"""No empty maps and no lists: the fake does not know their owners by the letter."""
_MANAGERS: Final = st.sampled_from(["fieldManager=one", "fieldManager=two", "fieldManager=two&force=true"])
_POINTERS: Final = ("/spec", "/spec/p", "/spec/p/0", "/spec/p/-", "/metadata/labels", "/status")
_QUERIES: Final = ("", "?limit=1", "?labelSelector=app", "?labelSelector=app%3Dx", "?labelSelector=!app")


def _metadata(*versions: str) -> st.SearchStrategy[dict[str, Any]]:
    """Metadata but for the name."""
    fields = {
        "labels": _LABELS,
        "annotations": _LABELS,
        "finalizers": st.lists(st.sampled_from(["example.org/x", "example.org/y"]), max_size=2, unique=True),
        "resourceVersion": st.sampled_from(versions),
        "generation": st.just(7),
        "creationTimestamp": st.just("2020-01-01T00:00:00Z"),
    }
    return st.fixed_dictionaries({}, optional=fields)


def _objects(
    name: str, halves: st.SearchStrategy[dict[str, Any]], metadata: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    def made(halves: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
        obj = ingress(name, **metadata)
        del obj["spec"]
        return obj | dict(halves)

    return st.builds(made, halves, metadata)


def _json_patches(*pointers: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    """What is added, replaced or tested has a value: without one the real server drops the connection."""
    paths, verbs = st.sampled_from(pointers), st.sampled_from(["add", "replace", "test"])
    valued = st.builds(lambda op, path, value: {"op": op, "path": path, "value": value}, verbs, paths, _VALUES)
    return st.lists(valued | st.builds(lambda path: {"op": "remove", "path": path}, paths), max_size=2)


def _asks(method: str, at: str, body: st.SearchStrategy[Any], content_type: str) -> st.SearchStrategy[Step]:
    return st.builds(Step, method=st.just(method), at=st.just(at), body=body, content_type=st.just(content_type))


def _applies(at: str, body: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    paths = st.builds(lambda manager: f"{at}?{manager}", _MANAGERS)
    return st.builds(Step, method=st.just("PATCH"), at=paths, body=body, content_type=st.just(APPLY))


def _about(name: str) -> st.SearchStrategy[Step]:
    """Requests about one object."""
    at = f"/{name}"
    updates = _objects(name, _ALL, _metadata(LATEST, LATEST, LATEST, "5", ""))
    merges = st.builds(lambda halves, more: {"metadata": more, **halves}, _ALL, _metadata(LATEST, "5"))
    return st.one_of(
        _asks("POST", "", _objects(name, _ALL, _metadata("", "5")), "application/json"),
        st.builds(Step, method=st.just("PUT"), at=st.just(at), body=updates, onto=st.booleans()),
        _asks("PATCH", at, merges, MERGE),
        _asks("PATCH", at, _json_patches(*_POINTERS), JSON_PATCH),
        _applies(at, _objects(name, _HALVES, _APPLIED_METADATA)),
        st.builds(Step, method=st.sampled_from(["GET", "DELETE"]), at=st.just(at)),
        _about_status(name),
    )


def _about_status(name: str) -> st.SearchStrategy[Step]:
    """Requests about the status of one object, by clients that leave the rest alone."""
    at = f"/{name}/status"
    statuses = st.builds(lambda fields: {"status": fields}, _FIELDS)
    updates = st.builds(lambda said: said | {"metadata": {"resourceVersion": LATEST}}, statuses)
    return st.one_of(
        st.builds(Step, method=st.just("PUT"), at=st.just(at), body=updates, onto=st.just(value=True)),
        _asks("PATCH", at, statuses, MERGE),
        _asks("PATCH", at, _json_patches("/status"), JSON_PATCH),
        _applies(at, _objects(name, statuses, st.just({}))),
        st.builds(Step, method=st.just("GET"), at=st.just(at)),
    )


STEPS: Final = st.one_of(_about("a"), _about("b"), st.builds(Step, method=st.just("GET"), at=st.sampled_from(_QUERIES)))
