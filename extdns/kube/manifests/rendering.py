"""Say once for each folder that a tool must first make objects of what it holds, with the command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath
from typing import Final, NamedTuple

import msgspec

from extdns.kube.object_decoder import DocumentProblem
from extdns.model.value import format_count

HELM: Final = "Helm"
KUSTOMIZE: Final = "kustomize"


class _Tool(NamedTuple):
    """A tool that makes objects of documents.

    Attributes:
        files: names of files that mark the folder to render.
        what: what a document is, and what several are.
        command: with the folder for {}.
        group: the API group of the documents, if their kind has the name of the tool.
    """

    files: tuple[str, ...]
    what: tuple[str, str]
    command: str
    group: str = ""


_UNREAD: Final = ("document, whose objects are not read", "documents, whose objects are not read")
_TOOLS: Final = {
    HELM: _Tool(("Chart.yaml",), ("document is a template", "documents are templates"), "helm template {}"),
    KUSTOMIZE: _Tool(
        ("kustomization.yaml", "kustomization.yml"),
        ("object or patch is not used", "objects and patches are not used"),
        "kustomize build {}",
    ),
    "HelmRelease": _Tool((), _UNREAD, "helm template CHART --values=VALUES", "helm.toolkit.fluxcd.io"),
    "Kustomization": _Tool((), _UNREAD, "flux build kustomization NAME --path={}", "kustomize.toolkit.fluxcd.io"),
    "Application": _Tool((), _UNREAD, "argocd app manifests NAME", "argoproj.io"),
    "ApplicationSet": _Tool((), _UNREAD, "argocd app manifests NAME", "argoproj.io"),
}
_TEMPLATE: Final = re.compile(
    rb"\{\{-?\s*(?:\.(?:Values|Release|Chart|Files)\b|(?:include|if|range|with|template|define)\s)"
)


def find_tool(api_version: object, kind: object) -> str:
    """Return the tool that makes objects of documents of *kind*, such as HelmReleases; "" if none does."""
    name = str(kind)
    group = _TOOLS[name].group if name in _TOOLS else ""
    return name if group and str(api_version).startswith(f"{group}/") else ""


def is_template(data: bytes) -> bool:
    """Return whether *data*, the content of a file, has a template of Helm."""
    return _TEMPLATE.search(data) is not None


def find_folder(name: str, tool: str, files: Collection[str]) -> str:
    """Return the nearest folder around the file *name* that *tool* renders, by the names of all *files*; "" if none."""
    folders = map(str, PurePath(name).parents)
    markers = _TOOLS[tool].files
    return next((one for one in folders if any(str(PurePath(one, marker)) in files for marker in markers)), "")


def summarize_by_folder(
    problems: Iterable[tuple[str, DocumentProblem]], files: Collection[str]
) -> Iterator[tuple[str, DocumentProblem]]:
    """Yield *problems*, given by the names of their files, by location.

    Those of one folder that have the same tool become one. *files* are the names of all files.
    """
    groups: dict[tuple[str, str], list[DocumentProblem]] = {}
    for name, problem in problems:
        if problem.tool:
            folder = find_folder(name, problem.tool, files) or str(PurePath(name).parent)
            groups.setdefault((folder, problem.tool), []).append(problem)
        else:
            yield f"{name}:{problem.line}" if problem.line else name, problem
    for (folder, tool), found in sorted(groups.items()):
        render = f"render: {_TOOLS[tool].command.format(shlex.quote(folder))} | extdns plan --manifests=- …"
        first = next((one for one in found if one.key is None), found[0])  # any object may be missing
        message = f"{format_count(len(found), *_TOOLS[tool].what)}; {render}"
        yield f"{folder} ({tool})", msgspec.structs.replace(first, message=message)
