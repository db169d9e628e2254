"""Ask an Open Policy Agent about rule inputs. A failure is a value, never an exception (docs/design/opa.md)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from extdns.opa.answers import (
    OpaRules,
    RecordAnswer,
    build_query,
    build_reference,
    find_policy_problems,
    find_rules,
    read_answers,
)
from extdns.opa.connection import LongAnswerError, OpaConnection, OpaError, OpaStatusError
from extdns.rules.evaluation import Evaluation
from extdns.rules.policy_server import LoadedPolicy, PolicyAnswers, PolicyProblem, PolicyRevision
from extdns.rules.rule_input import RuleInput, build_document

_MAX_QUERIES: Final = 24
"""The most queries of one `evaluate`, to find the inputs for which the evaluation fails."""
_MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
_MAX_POLICIES_BYTES: Final = 32 * 1024 * 1024
"""`/v1/policies` has each policy as text and as a syntax tree."""
_DIGEST_BYTES: Final = 8
_MAX_REFERENCES: Final = 200
_REFERENCE: Final = re.compile(r"""\bdata((?:\.[A-Za-z_]\w*|\["[^"\\\]]+"\])+)""")
_REFERENCE_PART: Final = re.compile(r"""\.(\w+)|\["([^"]+)"\]""")
_DEFINITION: Final = re.compile(r"^(?:default\s+)?([A-Za-z_]\w*)", re.MULTILINE)


class _Policy(msgspec.Struct):
    id: str
    raw: str = ""


class _Policies(msgspec.Struct):
    result: list[_Policy]


class _Found(msgspec.Struct):
    bundles: list[dict[str, msgspec.Raw]]
    digest: str


class _BundleResult(msgspec.Struct):
    result: list[_Found]


class _Manifest(msgspec.Struct):
    revision: str = ""


class _Bundle(msgspec.Struct):
    manifest: _Manifest


class OpaServer:
    """Queries one Open Policy Agent. Not for several threads at a time."""

    def __init__(self, connection: OpaConnection, rules: OpaRules) -> None:
        """Query *rules* over *connection*, and from the first `read_version` all rules that the package has."""
        self._connection = connection
        self._rules = rules

    def evaluate(self, inputs: Sequence[RuleInput]) -> PolicyAnswers:
        """Ask about *inputs* in one query.

        If the evaluation fails for some of them, or their answers are too long together, ask about halves, in up to 24
        queries, so that the others get their answers.
        """
        found: dict[int, RecordAnswer] = {}
        waiting = [range(len(inputs))]
        documents = [build_document(one) for one in inputs]
        problem, left = "", _MAX_QUERIES
        problems: list[PolicyProblem] = []
        while waiting and left and not problem:
            part, left = waiting.pop(), left - 1
            try:
                found |= zip(part, self._send_query([documents[index] for index in part]), strict=True)
            except (OpaStatusError, LongAnswerError) as exc:
                failed = _find_problems(exc)
                problems += failed
                if not failed:
                    problem = str(exc)
                elif len(part) > 1:
                    middle = len(part) // 2
                    waiting += [part[middle:], part[:middle]]
                else:
                    found[part[0]] = _build_failure(failed[0].message)
            except OpaError as exc:
                problem = str(exc)
            except ValueError as exc:
                problem = f"{self._connection.address}: {exc}"
        rest = _build_failure(problem or (problems[0].message if problems else ""))
        answers = [found.get(index, rest) for index in range(len(inputs))]
        problems += [one.problem for one in answers if one.problem]
        return PolicyAnswers(
            failed=frozenset(index for index, one in found.items() if one.evaluation.unavailable),
            evaluations=tuple(one.evaluation for one in answers),
            problem=problem,
            policy_problems=tuple(dict.fromkeys(problems)),
        )

    def read_version(self) -> PolicyRevision:
        """Read which policies the server has, and the revision of their data."""
        try:
            body = self._connection.request("GET", "/v1/policies", max_bytes=_MAX_POLICIES_BYTES)
            policies = sorted((one.id, one.raw) for one in msgspec.json.decode(body, type=_Policies).result)
            bundles, digest = self._read_data([text for _, text in policies])
        except OpaError as exc:
            return PolicyRevision(problem=str(exc))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return PolicyRevision(problem=f"{self._connection.address}: the answer is not that of an Open Policy Agent")
        own = [(policy, text) for policy, text in policies if _find_package(text) == self._rules.package]
        self._rules = find_rules(self._rules.path, [text for _, text in own])
        parts = (part for found in (policies, bundles) for one in found for part in one)
        return PolicyRevision(
            revision=_compute_digest((digest, *parts)),
            label=" ".join(label for _, label, _ in bundles if label),
            policies=tuple(LoadedPolicy(id=policy, revision=_compute_digest((text,))) for policy, text in own),
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send_query(self, documents: Sequence[object]) -> tuple[RecordAnswer, ...]:
        query = {"query": build_query(self._rules), "input": {"inputs": documents}}
        body = self._connection.request("POST", "/v1/query", query, max_bytes=_MAX_ANSWER_BYTES)
        return read_answers(body, len(documents), self._rules)

    def _read_data(self, texts: Sequence[str]) -> tuple[list[tuple[str, str, str]], str]:
        """Return name, revision and content of each bundle's status, sorted; and a digest of the data of policies."""
        documents = ", ".join(f"[x | x := {build_reference(parts)}]" for parts in find_data(texts))
        query = (
            "bundles = [x | x := data.system.bundles]; "
            f"digest = crypto.sha256(json.marshal([{documents}]))"  # data may be large, so OPA itself makes the digest
        )
        body = self._connection.request("POST", "/v1/query", {"query": query}, max_bytes=_MAX_ANSWER_BYTES)
        results = msgspec.json.decode(body, type=_BundleResult).result
        if not results:
            raise msgspec.ValidationError
        found = results[0].bundles[0] if results[0].bundles else {}
        bundles = sorted((name, _find_bundle_revision(name, raw), bytes(raw).decode()) for name, raw in found.items())
        return bundles, results[0].digest


def _find_problems(exc: OpaStatusError | LongAnswerError) -> tuple[PolicyProblem, ...]:
    """Return what in policies made a query fail; () if the server failed."""
    if isinstance(exc, LongAnswerError):
        return (PolicyProblem(message=str(exc)),)
    return find_policy_problems(exc.status, exc.body)


def find_data(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the paths in `data` to which the policies *texts* refer, but for what a policy defines.

    A reference with a variable, as `data.dns[name]`, counts as the part before it.
    """
    referred: set[tuple[str, ...]] = set()
    defined: set[tuple[str, ...]] = set()
    for text in texts:
        package = _find_package(text).split(".")
        defined.update((*package, name) for name in _DEFINITION.findall(text))
        for found in _REFERENCE.findall(text):
            referred.add(tuple(name or key for name, key in _REFERENCE_PART.findall(found)))
    own = [path for path in referred if path[0] != "system" and not any(_overlap(path, one) for one in defined)]
    return sorted(own)[:_MAX_REFERENCES]


def _overlap(path: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one of the paths begins with the other."""
    return all(part == second for part, second in zip(path, other, strict=False))


def _compute_digest(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "replace"))
    return digest.hexdigest()


def _build_failure(message: str) -> RecordAnswer:
    return RecordAnswer(evaluation=Evaluation(unavailable=message))


def _find_bundle_revision(name: str, raw: msgspec.Raw) -> str:
    try:
        revision = msgspec.json.decode(raw, type=_Bundle).manifest.revision
    except msgspec.DecodeError:
        return ""
    return f"{name}={revision}" if revision else ""


def _find_package(text: str) -> str:
    """Return the package of a policy, as `extdns`; "" if its text states none."""
    for line in text.splitlines():
        if line.startswith("package "):
            return line.removeprefix("package ").partition("#")[0].strip()
    return ""
