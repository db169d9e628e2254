"""Read the name and scope of kinds from CustomResourceDefinitions among manifests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

import msgspec

from extdns.flags.process import STANDARD_INPUT
from extdns.kube.manifests.manifest_files import ManifestFile, list_files, read_file
from extdns.kube.manifests.reader import split_documents
from extdns.kube.manifests.yaml_parser import parse_documents
from extdns.kube.object_decoder import ParsedDocument
from extdns.kube.unstructured_resources import UnstructuredResource
from extdns.model.kind import Kind

_KIND: Final = "CustomResourceDefinition"


class _Names(msgspec.Struct, frozen=True):
    kind: str
    plural: str


class _Version(msgspec.Struct, frozen=True):
    name: str


class _DefinitionSpec(msgspec.Struct, frozen=True):
    group: str
    names: _Names
    scope: str
    versions: tuple[_Version, ...]


def find_kind(resource: UnstructuredResource, paths: Sequence[str]) -> Kind | None:
    """Find the kind of *resource* in the CustomResourceDefinitions at *paths*; None if none defines its version.

    Standard input is skipped, since it can be read only once.
    """
    for spec in _read_specs(paths):
        versions = [version.name for version in spec.versions]
        if (spec.group, spec.names.plural) == (resource.group, resource.plural) and resource.version in versions:
            return resource.make_kind(spec.names.kind, namespaced=spec.scope != "Cluster")
    return None


def _read_specs(paths: Sequence[str]) -> Iterator[_DefinitionSpec]:
    roots = tuple(ManifestFile.root(at, path) for at, path in enumerate(paths) if path != STANDARD_INPUT)
    for file in list_files(roots).files:
        try:
            data = read_file(file.path)
        except OSError:
            continue  # reported when the objects are read
        if _KIND.encode() in data:
            yield from _read_documents(data)


def _read_documents(data: bytes) -> Iterator[_DefinitionSpec]:
    for document in chain.from_iterable(parse_documents(text, line) for text, line in split_documents(data)):
        tree = document.content if isinstance(document, ParsedDocument) else None
        if isinstance(tree, dict) and tree.get("kind") == _KIND:
            with suppress(msgspec.ValidationError):
                yield msgspec.convert(tree.get("spec"), _DefinitionSpec)
