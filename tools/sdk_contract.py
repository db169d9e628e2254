"""The import contract from the specs of the providers: only the module that a spec names imports an SDK."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from importlinter import Contract, ContractCheck, output

from extdns.flags.specs import PROVIDER_SPECS

if TYPE_CHECKING:
    from grimp import ImportGraph


class SdkContract(Contract):
    """The contract, a type of import-linter's."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001 - import-linter's
        """Return the imports that the specs do not allow."""
        violations = sorted(_find_violations(graph))
        return ContractCheck(kept=not violations, metadata={"violations": violations})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the violations."""
        found: Any = check.metadata
        for violation in found["violations"]:
            output.print_error(f"- {violation}", bold=False)


def _find_violations(graph: ImportGraph) -> Iterator[str]:
    for name, spec in PROVIDER_SPECS.modules.items():
        for sdk, module in PROVIDER_SPECS.load(name).sdk.items():
            allowed = f"{spec.rpartition('.')[0]}.{module}"
            for importer in graph.find_modules_that_directly_import(sdk) if sdk in graph.modules else ():
                if not fnmatchcase(importer, allowed):
                    yield f"{importer} -> {sdk}, which only {allowed} may import"
