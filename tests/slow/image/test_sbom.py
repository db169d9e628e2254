"""The software bill of materials: what SPDX 2.3 requires, and exactly the packages of the image."""

from __future__ import annotations

import json
import re
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.utils import canonicalize_name

from extdns import __version__
from release.requirements import parse_requirements
from release.sbom import Package, build_sbom
from tests.slow.image.dockerfile import ROOT

DOCUMENT_FIELDS: Final = {
    "spdxVersion": r"SPDX-2\.3",  # SPDX 2.3, 6.1
    "dataLicense": r"CC0-1\.0",  # 6.2
    "SPDXID": r"SPDXRef-DOCUMENT",  # 6.3
    "name": r"\S+",  # 6.4
    "documentNamespace": r"[a-z]+:[^#]+",  # 6.5: an absolute URI without a fragment
}
CREATION_FIELDS: Final = {
    "created": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",  # 6.9
}
CREATOR: Final = r"(Person|Organization|Tool): \S.*"  # 6.8
PACKAGE_FIELDS: Final = {
    "SPDXID": r"SPDXRef-[A-Za-z0-9.-]+",  # 7.2
    "name": r"\S+",  # 7.1
    "versionInfo": r"\S+",  # 7.3, optional
    "downloadLocation": r"NOASSERTION",  # 7.7
    "licenseConcluded": r"NOASSERTION",  # 7.13
    "licenseDeclared": r"NOASSERTION|[A-Za-z0-9.-]+( (AND|OR|WITH) [A-Za-z0-9.-]+)*",  # 7.15
    "copyrightText": r"NOASSERTION",  # 7.17
    "primaryPackagePurpose": r"APPLICATION|LIBRARY",  # 7.24, optional
}


@pytest.fixture(scope="session")
def sbom(image_root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((image_root / "sbom.spdx.json").read_text(encoding="utf-8"))
    return found


def assert_fields(element: dict[str, Any], fields: dict[str, str]) -> None:
    """Assert that *element* has each field, with a value that matches."""
    invalid = [name for name in fields if not re.fullmatch(fields[name], element.get(name, ""))]
    assert invalid == []


def test_the_bill_of_materials_has_every_field_that_spdx_requires_of_a_document(sbom: dict[str, Any]) -> None:
    assert_fields(sbom, DOCUMENT_FIELDS)
    assert_fields(sbom["creationInfo"], CREATION_FIELDS)
    creators = sbom["creationInfo"]["creators"]
    assert creators
    assert [creator for creator in creators if not re.fullmatch(CREATOR, creator)] == []
    assert (sbom["name"], sbom["creationInfo"]["created"]) == (
        f"extdns-{__version__}-linux-amd64",
        "2023-11-14T22:13:20Z",
    )


def test_each_package_in_the_bill_of_materials_has_every_field_that_spdx_requires(sbom: dict[str, Any]) -> None:
    for package in sbom["packages"]:
        assert_fields(package, PACKAGE_FIELDS)
        assert package["filesAnalyzed"] is False, "7.8: so no verification code and no files are required"
    identifiers = [package["SPDXID"] for package in sbom["packages"]]
    assert len(set(identifiers)) == len(identifiers)


def test_the_bill_of_materials_lists_exactly_the_packages_of_the_image(sbom: dict[str, Any], image_root: Path) -> None:
    installed = {canonicalize_name(each.name): each.version for each in distributions(path=[str(image_root / "lib")])}
    listed = {package["name"]: package["versionInfo"] for package in sbom["packages"]}
    assert listed == installed | {"extdns": __version__}


def test_each_library_in_the_bill_of_materials_has_its_package_url_and_a_hash_from_the_requirements(
    sbom: dict[str, Any],
) -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    hashes = {requirement.name: requirement.hashes for requirement in parse_requirements(text)}
    program, *libraries = sbom["packages"]
    assert program["primaryPackagePurpose"] == "APPLICATION"
    for package in libraries:
        (reference,) = package["externalRefs"]
        assert (reference["referenceCategory"], reference["referenceType"]) == ("PACKAGE-MANAGER", "purl")
        assert reference["referenceLocator"].endswith(f"/{package['name']}@{package['versionInfo']}")
        (checksum,) = package["checksums"]
        assert checksum["algorithm"] == "SHA256"
        assert checksum["checksumValue"] in hashes[package["name"]]


def test_every_library_in_the_bill_of_materials_is_a_direct_or_indirect_dependency_of_extdns(
    sbom: dict[str, Any],
) -> None:
    relations = {
        (each["spdxElementId"], each["relationshipType"], each["relatedSpdxElement"]) for each in sbom["relationships"]
    }
    assert ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-extdns") in relations
    reached = {"SPDXRef-Package-extdns"}
    while more := {target for source, _, target in relations if source in reached} - reached:
        reached |= more
    assert reached == {package["SPDXID"] for package in sbom["packages"]}


def test_most_libraries_in_the_bill_of_materials_declare_a_licence(sbom: dict[str, Any]) -> None:
    declared = [each["name"] for each in sbom["packages"] if each["licenseDeclared"] != "NOASSERTION"]
    assert len(declared) > 0.8 * len(sbom["packages"])


def describe(**fields: str) -> Package:
    fields = {"name": "idna", "version": "3.20", "licence": "BSD-3-Clause", "sha256": "", **fields}
    return Package(**fields, required_by=("extdns",))


PROGRAM: Final = Package(name="extdns", version="1.2.3", licence="Apache-2.0", sha256="", required_by=())


def test_bills_of_materials_with_different_contents_have_different_namespaces() -> None:
    first = build_sbom(PROGRAM, [describe()], "amd64", 0)
    assert first == build_sbom(PROGRAM, [describe()], "amd64", 0)
    others = [
        build_sbom(PROGRAM, [describe(version="3.21")], "amd64", 0),
        build_sbom(PROGRAM, [describe()], "arm64", 0),
        build_sbom(PROGRAM, [describe()], "amd64", 1),
    ]
    assert len({each["documentNamespace"] for each in (first, *others)}) == 4


def test_the_bill_of_materials_states_no_licence_whose_text_it_does_not_contain() -> None:
    document = build_sbom(PROGRAM, [describe(licence="LicenseRef-own")], "amd64", 0)
    assert document["packages"][1]["licenseDeclared"] == "NOASSERTION"
