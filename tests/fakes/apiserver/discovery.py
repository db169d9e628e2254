"""The discovery API: groups, versions and resources, as far as kubectl and client-go need them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final

from tests.fakes.apiserver.answers import Answer, build_answer, build_json_answer, build_no_route
from tests.fakes.apiserver.kinds import Catalogue, Kind

VERSION: Final = {
    "major": "1",
    "minor": "34",
    "gitVersion": "v1.34.2",
    "gitCommit": "0000000000000000000000000000000000000000",
    "gitTreeState": "clean",
    "buildDate": "2025-11-11T00:00:00Z",
    "goVersion": "go1.24.9",
    "compiler": "gc",
    "platform": "linux/amd64",
}
_VERBS: Final = ("create", "delete", "get", "list", "patch", "update", "watch")
_STATUS_VERBS: Final = ("get", "patch", "update")


def discover(path: str, catalogue: Catalogue) -> Answer:
    """Return the response to a path that is not a resource."""
    match path.strip("/").split("/"):
        case ["version"]:
            return build_json_answer(VERSION)
        case ["healthz" | "livez" | "readyz"]:
            return build_answer(b"ok", content_type="text/plain; charset=utf-8")
        case ["api"]:
            return build_json_answer({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
        case ["apis"]:
            kinds = (kind for kind in catalogue.list_served() if kind.group)
            groups = [_describe_group(name, members) for name, members in groupby(kinds, key=lambda kind: kind.group)]
            return build_json_answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        case ["apis", group] if members := catalogue.list_served(group):
            return build_json_answer({"kind": "APIGroup", "apiVersion": "v1", **_describe_group(group, members)})
        case ["api", "v1"]:
            return _list_resources("v1", catalogue.list_served("", "v1"))
        case ["apis", group, version] if members := catalogue.list_served(group, version):
            return _list_resources(f"{group}/{version}", members)
        case ["openapi", "v3"]:
            served = dict.fromkeys(kind.path.rpartition("/")[0].strip("/") for kind in catalogue.list_served())
            return build_json_answer({"paths": {one: {"serverRelativeURL": f"/openapi/v3/{one}"} for one in served}})
        case ["openapi", "v3", *group_version]:
            return _describe_operations(kind for kind in catalogue.list_served() if _is_in(kind, group_version))
        case _:
            return build_no_route()


def _is_in(kind: Kind, group_version: list[str]) -> bool:
    return kind.path.strip("/").split("/")[:-1] == group_version


def _describe_operations(members: Iterable[Kind]) -> Answer:
    """Return an OpenAPI description that states only that the server validates fields itself."""
    paths = {
        f"{kind.path}/{{name}}": {
            "patch": {
                "x-kubernetes-group-version-kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
                "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK"}},
            }
        }
        for kind in members
    }
    info = {"title": "Kubernetes", "version": VERSION["gitVersion"]}
    return build_json_answer({"openapi": "3.0.0", "info": info, "paths": paths})


def _describe_group(name: str, members: Iterable[Kind]) -> dict[str, Any]:
    """Describe an API group. Stable versions come before beta and alpha versions, newer before older ones."""
    names = sorted({kind.version for kind in members}, key=lambda text: ("alpha" in text, "beta" in text, text))
    versions = [{"groupVersion": f"{name}/{version}", "version": version} for version in names]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def _list_resources(group_version: str, members: Iterable[Kind]) -> Answer:
    resources = []
    for kind in members:
        shown = {"name": kind.plural, "singularName": kind.kind.lower(), "namespaced": kind.namespaced}
        short = {"shortNames": kind.short} if kind.short else {}
        resources.append({**shown, "kind": kind.kind, "verbs": _VERBS, **short})
        if kind.status:
            status = {**shown, "name": f"{kind.plural}/status", "singularName": ""}
            resources.append({**status, "kind": kind.kind, "verbs": _STATUS_VERBS})
    found = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources}
    return build_json_answer(found)
