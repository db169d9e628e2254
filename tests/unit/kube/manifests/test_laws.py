"""Properties of reading manifests: files and formats do not matter; broken files neither raise nor remove objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import yaml
from hypothesis import given
from hypothesis import strategies as st

from extdns.kube.manifests.loader import ManifestIndex, ManifestLoader
from extdns.kube.manifests.manifest_files import ManifestFile
from extdns.kube.manifests.reader import read_manifests
from extdns.model.kind import KubernetesObject, ObjectKey
from extdns.resources.kinds import STRUCTS

Manifest = dict[str, object]

_TEXTS: Final = st.text(alphabet='ab1.-: "#\n\té\N{GRINNING FACE}', max_size=12)
_METADATA: Final = st.fixed_dictionaries(
    {"name": st.sampled_from(["web", "api", "db-1", "w.x"])},
    optional={
        "namespace": st.sampled_from(["default", "shop"]),
        "annotations": st.none() | st.dictionaries(st.sampled_from(["a/b", "1", "yes"]), _TEXTS, max_size=2),
        "labels": st.dictionaries(st.just("app"), st.sampled_from(["web", "60", "no"])),
        "managedFields": st.just([{"manager": "kubectl"}]),
    },
)
_BODIES: Final[Mapping[str, st.SearchStrategy[Manifest]]] = {
    "Service": st.fixed_dictionaries(
        {"spec": st.fixed_dictionaries({"type": st.sampled_from(["NodePort", "LoadBalancer"])})},
        optional={"status": st.just({"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}})},
    ),
    "Node": st.just({"spec": {}, "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.3"}]}}),
    "Ingress": st.just({"spec": {"rules": [{"host": "shop.example.org"}], "tls": None}}),
    "Deployment": st.just({"spec": {"replicas": 2}}),
}
_VERSIONS: Final = {"Service": "v1", "Node": "v1", "Ingress": "networking.k8s.io/v1", "Deployment": "apps/v1"}


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Generate the manifest of one object."""
    kind = draw(st.sampled_from(sorted(_BODIES)))
    return {"apiVersion": _VERSIONS[kind], "kind": kind, "metadata": draw(_METADATA), **draw(_BODIES[kind])}


def identify(manifest: Manifest) -> tuple[object, ...]:
    metadata = manifest["metadata"]
    assert isinstance(metadata, dict)
    namespace = "" if manifest["kind"] == "Node" else metadata.get("namespace", "default")
    return manifest["kind"], namespace, metadata["name"]


manifest_sets: Final = st.lists(manifests(), unique_by=identify, max_size=6)


def listed(documents: list[Manifest]) -> list[Manifest]:
    return [{"apiVersion": "v1", "kind": "List", "items": documents}]


NOTATIONS: Final[Mapping[str, Callable[[list[Manifest]], str]]] = {
    "a.yaml": lambda objects: yaml.safe_dump_all(objects, allow_unicode=True),
    "b.yml": lambda objects: "---\n# Source: x\n".join(["", *(yaml.safe_dump(item) for item in objects)]),
    "c.yaml": lambda objects: yaml.safe_dump_all(listed(objects), default_flow_style=True),
    "d.json": lambda objects: "\n".join(map(json.dumps, objects)),
    "e.json": lambda objects: json.dumps(*listed(objects), indent=2, ensure_ascii=False),
    "f.yaml": lambda objects: "---\n".join(json.dumps(item, indent=1) + "\n" for item in objects),
}


def objects_of(catalogue: ManifestIndex) -> dict[ObjectKey, KubernetesObject | None]:
    return {key: catalogue.get(key) for kind in STRUCTS for key in catalogue.list_keys(kind)}


def looked_at(paths: list[str]) -> ManifestIndex:
    folders = ManifestLoader(paths, stdin=None)
    folders.refresh()
    assert folders.index.find_problems() == {}
    return folders.index


@given(manifest_sets, st.data())
def test_objects_are_read_the_same_however_they_are_spread_over_files_and_formats(
    objects: list[Manifest], data: st.DataObject
) -> None:
    spread: dict[str, list[Manifest]] = {}
    for item in data.draw(st.permutations(objects)):
        folder = data.draw(st.sampled_from(["", "sub", "sub/deep.yaml"]))
        spread.setdefault(f"{folder}/{data.draw(st.sampled_from(sorted(NOTATIONS)))}".lstrip("/"), []).append(item)
    with TemporaryDirectory() as scratch:
        single_file, parts = Path(scratch, "whole.yaml"), Path(scratch, "parts")
        single_file.write_text(NOTATIONS["a.yaml"](objects))
        parts.mkdir()
        for name, items in spread.items():
            file = parts / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(NOTATIONS[file.name](items))
        assert objects_of(looked_at([str(parts)])) == objects_of(looked_at([str(single_file)]))


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:-\n a1#&*|>', max_size=80).map(str.encode))
def test_reading_any_bytes_as_a_manifest_raises_no_exception(data: bytes) -> None:
    for name in ("f.yaml", "f.json"):
        read_manifests(data, name)


def catalogue_of(file: ManifestFile, text: bytes) -> ManifestIndex:
    catalogue = ManifestIndex()
    catalogue.put(file, read_manifests(text, file.name))
    return catalogue


def damage(text: bytes, data: st.DataObject) -> bytes:
    """Replace a few bytes of *text* with random ones."""
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 20)))
    return text[:begin] + data.draw(st.sampled_from([b"", b"\xff", b"\n[", b'"', b"\n\t: ", b"{", b"60"])) + text[end:]


@given(st.lists(manifests(), unique_by=identify, min_size=1, max_size=4), st.sampled_from(sorted(NOTATIONS)), st.data())
def test_no_object_is_removed_by_a_file_with_a_document_that_cannot_be_identified(
    objects: list[Manifest], name: str, data: st.DataObject
) -> None:
    file = ManifestFile.root(0, name)
    text = NOTATIONS[name](objects).encode()
    catalogue = catalogue_of(file, text)
    before = objects_of(catalogue)
    contents = read_manifests(damage(text, data), name)
    catalogue.put(file, contents)
    after = objects_of(catalogue)
    named = {problem.key for problem in contents.problems}
    gone = before.keys() - after.keys()
    assert not gone & named
    assert contents.is_complete or not gone
    assert {found.key: found.obj for found in contents.found}.items() <= after.items()


@given(
    manifest_sets,
    manifest_sets,
    st.sampled_from(["a: [", "a: b: c", "*x", "- {", '"', "@", "kind: Service\nmetadata: {}"]),
)
def test_a_broken_document_does_not_affect_other_documents(
    old: list[Manifest], new: list[Manifest], rubbish: str
) -> None:
    file = ManifestFile.root(0, "f.yaml")
    catalogue = catalogue_of(file, yaml.safe_dump_all(old).encode())
    before = objects_of(catalogue)
    documents = [yaml.safe_dump(item) for item in new]
    documents.insert(len(documents) // 2, f"{rubbish}\n")
    contents = read_manifests("---\n".join(documents).encode(), file.name)
    catalogue.put(file, contents)
    assert objects_of(catalogue) == before | objects_of(catalogue_of(file, yaml.safe_dump_all(new).encode()))
    assert not contents.is_complete
