"""The software bill of materials: an SPDX 2.3 document in JSON. The same packages always give the same document."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

NO_ASSERTION: Final = "NOASSERTION"
_DOCUMENT: Final = "SPDXRef-DOCUMENT"
_Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package of the image.

    Attributes:
        licence: its SPDX licence expression, "" if it declares none.
        sha256: hex digest of the file that was installed, "" if it was not installed from a file.
        required_by: names of the packages that require it.
    """

    name: str
    version: str
    licence: str
    sha256: str
    required_by: Sequence[str]


def build_sbom(program: Package, packages: Sequence[Package], architecture: str, created_at: int) -> _Json:
    """Return the document about *program* and the *packages* that it is installed with, for one architecture.

    Args:
        program: extdns itself.
        packages: everything that it requires, directly or not.
        architecture: as in the platform of an image, such as "amd64".
        created_at: Unix time in seconds that the document states; SOURCE_DATE_EPOCH for a reproducible one.
    """
    everything = (program, *packages)
    names = {package.name for package in everything}
    content: _Json = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": _DOCUMENT,
        "name": f"{program.name}-{program.version}-linux-{architecture}",
        "creationInfo": {
            "created": datetime.fromtimestamp(created_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Organization: The {program.name} authors", f"Tool: {__name__}-{program.version}"],
        },
        "packages": [_describe(package, is_program=package is program) for package in everything],
        "relationships": [
            _relate(_DOCUMENT, "DESCRIBES", _identify(program.name)),
            *(relation for package in packages for relation in _list_dependents(package, names)),
        ],
    }
    namespace = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {**content, "documentNamespace": namespace.urn}


def _describe(package: Package, *, is_program: bool) -> _Json:
    described: _Json = {
        "SPDXID": _identify(package.name),
        "name": package.name,
        "versionInfo": package.version,
        "primaryPackagePurpose": "APPLICATION" if is_program else "LIBRARY",
        "supplier": NO_ASSERTION,
        "downloadLocation": NO_ASSERTION,
        "filesAnalyzed": False,
        "licenseConcluded": NO_ASSERTION,
        # A reference to a licence text would need that text in the document.
        "licenseDeclared": NO_ASSERTION if "LicenseRef" in package.licence else package.licence or NO_ASSERTION,
        "copyrightText": NO_ASSERTION,
    }
    if not is_program:
        locator = f"pkg:pypi/{package.name}@{package.version}"
        described["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
        ]
    if package.sha256:
        described["checksums"] = [{"algorithm": "SHA256", "checksumValue": package.sha256}]
    return described


def _list_dependents(package: Package, names: set[str]) -> Iterator[_Json]:
    for name in package.required_by:
        if name in names:
            yield _relate(_identify(name), "DEPENDS_ON", _identify(package.name))


def _relate(source: str, kind: str, target: str) -> _Json:
    return {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}


def _identify(name: str) -> str:
    return f"SPDXRef-Package-{name}"
