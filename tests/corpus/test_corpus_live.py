"""Cases of the corpus with their objects at an API server: records come out as from manifests, to the last one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.corpus.case import Case, load
from tests.corpus.tables import OURS, OURS_BY_DEFAULT
from tests.corpus.test_corpus import RUN, check
from tests.fakes.apiserver.kinds import KINDS
from tests.fakes.apiserver.server import ApiServer

AGELESS: Final = {"creationTimestamp": "1970-01-01T00:00:00Z"}
"""Which of two objects is older is not to depend on when a second ends."""
WITH_OBJECTS: Final = [name for name in RUN if load(name).objects.exists()]


@pytest.mark.parametrize("name", WITH_OBJECTS)
def test_a_live_cluster_makes_no_difference(name: str, tmp_path: Path) -> None:
    case = load(name)
    with ApiServer() as server:
        for obj in objects(case):
            serve(server, obj)
            server.put(obj)
        cluster = f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"
        check(case, compat=False, ours=OURS_BY_DEFAULT.get(name) or OURS.get(name), cluster=cluster)


def serve(server: ApiServer, obj: dict[str, Any]) -> None:
    """Serve the version that *obj* is written in, too."""
    group, _, version = obj["apiVersion"].rpartition("/")
    kind = next(kind for kind in KINDS if (kind.group, kind.kind) == (group, obj["kind"]))
    server.register(replace(kind, version=version))


def objects(case: Case) -> list[dict[str, Any]]:
    """The objects of *case*, those in lists, too."""
    documents = filter(None, yaml.safe_load_all(case.objects.read_text(encoding="utf-8")))
    found = [obj for document in documents for obj in document.get("items", [document])]
    return [obj | {"metadata": AGELESS | obj["metadata"]} for obj in found]
