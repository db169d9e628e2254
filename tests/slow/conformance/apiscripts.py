"""Hypothesis strategies that generate API requests about Things: mostly writes, and some reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from tests.conformance.apiserver import build_thing
from tests.fakes.apiserver.raw_client import APPLY, MERGE

LATEST: Final = "the latest version"
"""Placeholder for the object's resourceVersion at the time of the request."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One generated request to the Kubernetes API.

    Attributes:
        at: the path below the collection of Things of a namespace: "", or "/" and an object's name, and a query.
        onto: whether the body is merged into the current object when the request is sent.
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
"""Without empty maps and lists, whose field owners the fake does not compute exactly."""
_MANAGERS: Final = st.sampled_from(["fieldManager=one", "fieldManager=two", "fieldManager=two&force=true"])
_QUERIES: Final = ("", "?limit=1", "?fieldSelector=metadata.name%3Da")


def _generate_metadata(*versions: str) -> st.SearchStrategy[dict[str, Any]]:
    """Generate the metadata of an object without its name, with a resourceVersion out of *versions*."""
    fields = {
        "labels": _LABELS,
        "annotations": _LABELS,
        "finalizers": st.lists(st.sampled_from(["example.org/x", "example.org/y"]), max_size=2, unique=True),
        "resourceVersion": st.sampled_from(versions),
        "generation": st.just(7),
        "creationTimestamp": st.just("2020-01-01T00:00:00Z"),
    }
    return st.fixed_dictionaries({}, optional=fields)


def _generate_objects(
    name: str, halves: st.SearchStrategy[dict[str, Any]], metadata: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    def made(halves: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
        obj = build_thing(name, **metadata)
        del obj["spec"]
        return obj | dict(halves)

    return st.builds(made, halves, metadata)


def _generate_requests(
    method: str, at: str, body: st.SearchStrategy[Any], content_type: str
) -> st.SearchStrategy[Step]:
    return st.builds(Step, method=st.just(method), at=st.just(at), body=body, content_type=st.just(content_type))


def _generate_applies(at: str, body: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    # a configuration without fields of its own is left out: who then owns the fields of others is not in the fake
    body = body.filter(lambda config: config.get("status" if at.endswith("/status") else "spec"))
    paths = st.builds(lambda manager: f"{at}?{manager}", _MANAGERS)
    return st.builds(Step, method=st.just("PATCH"), at=paths, body=body, content_type=st.just(APPLY))


def _generate_steps(name: str) -> st.SearchStrategy[Step]:
    at = f"/{name}"
    updates = _generate_objects(name, _ALL, _generate_metadata(LATEST, LATEST, LATEST, "5", ""))
    merges = st.builds(lambda halves, more: {"metadata": more, **halves}, _ALL, _generate_metadata(LATEST, "5"))
    return st.one_of(
        _generate_requests("POST", "", _generate_objects(name, _ALL, _generate_metadata("", "5")), "application/json"),
        st.builds(Step, method=st.just("PUT"), at=st.just(at), body=updates, onto=st.booleans()),
        _generate_requests("PATCH", at, merges, MERGE),
        _generate_applies(at, _generate_objects(name, _HALVES, _APPLIED_METADATA)),
        st.builds(Step, method=st.sampled_from(["GET", "DELETE"]), at=st.just(at)),
        _generate_status_steps(name),
    )


def _generate_status_steps(name: str) -> st.SearchStrategy[Step]:
    """Generate requests about the status subresource of the Thing *name* that change nothing but the status."""
    at = f"/{name}/status"
    statuses = st.builds(lambda fields: {"status": fields}, _FIELDS)
    updates = st.builds(lambda fields: fields | {"metadata": {"resourceVersion": LATEST}}, statuses)
    return st.one_of(
        st.builds(Step, method=st.just("PUT"), at=st.just(at), body=updates, onto=st.just(value=True)),
        _generate_requests("PATCH", at, statuses, MERGE),
        _generate_applies(at, _generate_objects(name, statuses, st.just({}))),
        st.builds(Step, method=st.just("GET"), at=st.just(at)),
    )


STEPS: Final = st.one_of(
    _generate_steps("a"), _generate_steps("b"), st.builds(Step, method=st.just("GET"), at=st.sampled_from(_QUERIES))
)
