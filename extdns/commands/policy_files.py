"""Check the DNSPolicies in files, and run tests of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from extdns.cel.policy import CompiledPolicy
from extdns.cel.policy_index import check_policy
from extdns.cel.policy_rules import PolicyRules
from extdns.cel.policy_tests import PolicyTest, describe_violation, read_test_file
from extdns.documents.check import (
    CheckedPolicy,
    PolicyCheckDocument,
    PolicyTestDocument,
    TestedCase,
)
from extdns.errors import UsageError, describe_cause, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.kube.manifests.manifest_files import ManifestFile, list_files, read_file
from extdns.kube.manifests.reader import read_manifests
from extdns.kube.manifests.yaml_parser import YamlMapping, parse_documents
from extdns.kube.object_decoder import DocumentProblem, remove_nulls
from extdns.resources.extdns import DNS_POLICY, DnsPolicy


def check_policies(paths: Sequence[str]) -> PolicyCheckDocument:
    """Check each DNSPolicy in the files and folders *paths*."""
    return PolicyCheckDocument(policies=tuple(checked for checked, _ in _read_policies(paths)))


def load_policies(paths: Sequence[str]) -> tuple[CompiledPolicy, ...]:
    """Return the DNSPolicies in the files and folders *paths*."""
    found: list[CompiledPolicy] = []
    for checked, policy in _read_policies(paths):
        if policy is None:
            raise UsageError(f"{checked.location}: {checked.problems[0]}\n  to check all: extdns policy check")
        found.append(policy)
    if paths and not found:
        raise usage_error(f"no DNSPolicy in {sanitize(', '.join(paths))}", "allowed: files and folders with some")
    return tuple(found)


def _read_policies(paths: Sequence[str]) -> Iterator[tuple[CheckedPolicy, CompiledPolicy | None]]:
    """Yield each policy of the files and folders *paths*, compiled if it is valid, and each unreadable part.

    Of several policies with one name, only the first counts as valid, as in a run.
    """
    seen: dict[str, str] = {}
    for checked, policy in _read_each_policy(paths):
        if checked.name in seen:
            again = f"metadata.name is {checked.name} again, as in {seen[checked.name]}; allowed: each name once"
            yield CheckedPolicy(location=checked.location, name=checked.name, problems=(again,), warnings=()), None
            continue
        if checked.name:
            seen[checked.name] = checked.location
        yield checked, policy


def _read_each_policy(paths: Sequence[str]) -> Iterator[tuple[CheckedPolicy, CompiledPolicy | None]]:
    """Yield what `_read_policies` yields, and also the policies whose name was there before."""
    listing = list_files(tuple(ManifestFile.root(number, path) for number, path in enumerate(paths)))
    for file, error in listing.unreadable.items():
        raise UsageError(f"{sanitize(file.name)} cannot be read: {error}")
    for file in sorted(listing.files):
        contents = read_manifests(_read(file), file.name)
        for problem in contents.problems:
            if not problem.is_ignored and (problem.key is None or problem.key.kind == DNS_POLICY):
                name = problem.key.name if problem.key else ""
                location = f"{file.name}:{problem.line}" if problem.line else file.name
                yield CheckedPolicy(location=location, name=name, problems=(problem.message,), warnings=()), None
        for found in contents.found:
            if isinstance(found.obj, DnsPolicy):
                version = check_policy(found.key.name, found.obj.spec)
                checked = CheckedPolicy(
                    location=f"{file.name}:{found.line}",
                    name=found.key.name,
                    problems=version.problems,
                    warnings=version.warnings,
                )
                yield checked, version.policy


def _read(file: ManifestFile) -> bytes:
    try:
        return read_file(file.path)
    except OSError as error:
        raise UsageError(f"{sanitize(file.name)} cannot be read: {describe_cause(error)}") from error


def test_policies(paths: Sequence[str]) -> PolicyTestDocument:
    """Run the tests in the files *paths*."""
    tests: list[TestedCase] = []
    problems: list[str] = []
    for path in paths:
        _test_file(path, tests, problems)
    return PolicyTestDocument(tests=tuple(tests), problems=tuple(problems))


def _test_file(path: str, tests: list[TestedCase], problems: list[str]) -> None:
    """Run the tests in the file *path*; append the results to *tests*, and what is wrong in the file to *problems*."""
    if Path(path).is_dir():
        raise usage_error(f"{sanitize(path)} is a folder", "allowed: files with tests, such as rules/tests.yaml")
    file = ManifestFile.root(0, path)
    document = next(parse_documents(_read(file), 1), None)
    if isinstance(document, DocumentProblem):
        problems.append(f"{file.name}:{document.line}: {document.message}")
        return
    content = document.content if document else None
    found = read_test_file(remove_nulls(content) if isinstance(content, dict) else content)
    if found.problems:
        problems += (f"{file.name}: {problem}" for problem in found.problems)
        return
    folder = Path(path).parent
    policies = list(_read_policies([str(folder / one) for one in found.policies]))
    problems += (f"{checked.location}: {problem}" for checked, _ in policies for problem in checked.problems)
    rules = PolicyRules([policy for _, policy in policies if policy is not None])
    lines = _find_lines(content)
    tests += (_run_test(test, rules, f"{file.name}:{line}") for test, line in zip(found.tests, lines, strict=False))


def _run_test(test: PolicyTest, rules: PolicyRules, location: str) -> TestedCase:
    """Evaluate *rules* on the input of *test*, and compare the violations."""
    (evaluation,) = rules.evaluate((test.item,))
    unexpected = list(evaluation.violations)
    missing: list[str] = []
    for expected in test.expected:
        met = next((found for found in unexpected if expected.is_met_by(found)), None)
        if met is None:
            missing.append(str(expected))
        else:
            unexpected.remove(met)
    return TestedCase(
        location=location,
        name=test.name,
        passed=not (missing or unexpected or evaluation.unavailable),
        missing=tuple(missing),
        unexpected=tuple(map(describe_violation, unexpected)),
        unavailable=evaluation.unavailable,
    )


def _find_lines(content: object) -> list[int]:
    """Return the line of each test in the document *content*, which is valid."""
    tests = content.get("tests") if isinstance(content, dict) else None
    return [one.line if isinstance(one, YamlMapping) else 1 for one in tests] if isinstance(tests, list) else []
