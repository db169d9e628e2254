"""Ask an Open Policy Agent about rule inputs. A failure is a value, never an exception (docs/design/opa.md)."""

from __future__ import annotations

import hashlib
import re
import time
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
_UNWATCHED: Final = frozenset({"system", "kubernetes"})
"""Data that counts for no digest. kube-mgmt copies objects to `kubernetes`, and those change all the time."""
_SLOW_DIGEST_S: Final = 0.2
_SLOW_DIGEST_PAUSE: Final = 50
"""After a slow digest, the next one is computed after this many times its duration."""


class _Term(msgspec.Struct):
    value: object = None


class _Package(msgspec.Struct):
    path: list[_Term] = []


class _Head(msgspec.Struct):
    """The head of a rule. Only a function has *args*; a rule such as `deny.ttl` has no *name*, but a *ref*."""

    name: str = ""
    ref: list[_Term] = []
    args: list[msgspec.Raw] = []


class _Rule(msgspec.Struct):
    head: _Head


class _Module(msgspec.Struct):
    package: _Package
    rules: list[_Rule] = []


class _Policy(msgspec.Struct):
    id: str
    raw: str = ""
    ast: _Module | None = None

    @property
    def package(self) -> tuple[str, ...]:
        """The path of its package in `data`, such as `("extdns",)`."""
        return tuple(str(one.value) for one in self.ast.package.path[1:]) if self.ast else ()

    def find_names(self, *, with_functions: bool) -> set[str]:
        heads = [rule.head for rule in self.ast.rules if with_functions or not rule.head.args] if self.ast else []
        return {head.name or str(head.ref[0].value) for head in heads if head.name or head.ref}


class _Policies(msgspec.Struct):
    result: list[_Policy]


class _Bundles(msgspec.Struct):
    bundles: list[dict[str, msgspec.Raw]]


class _BundleResult(msgspec.Struct):
    result: list[_Bundles]


class _Digest(msgspec.Struct):
    digest: str


class _DigestResult(msgspec.Struct):
    result: list[_Digest]


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
        self._digest = ""
        self._digest_at_s = 0.0  # when the next digest is computed, at the earliest

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
            policies = sorted(msgspec.json.decode(body, type=_Policies).result, key=lambda one: one.id)
            bundles = self._read_bundles()
        except OpaError as exc:
            return PolicyRevision(problem=str(exc))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return PolicyRevision(problem=f"{self._connection.address}: the answer is not that of an Open Policy Agent")
        self._update_digest(policies)
        own = [one for one in policies if one.package == self._rules.package]
        names = {name for one in own for name in one.find_names(with_functions=False)}
        self._rules = find_rules(self._rules.path, names)
        parts = [part for one in policies for part in (one.id, one.raw)]
        parts += [part for one in bundles for part in one]
        return PolicyRevision(
            revision=_compute_digest((self._digest, *parts)),
            label=" ".join(label for _, label, _ in bundles if label),
            policies=tuple(LoadedPolicy(id=one.id, revision=_compute_digest((one.raw,))) for one in own),
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send_query(self, documents: Sequence[object]) -> tuple[RecordAnswer, ...]:
        query = {"query": build_query(self._rules), "input": {"inputs": documents}}
        body = self._connection.request("POST", "/v1/query", query, max_bytes=_MAX_ANSWER_BYTES)
        return read_answers(body, len(documents), self._rules)

    def _read_bundles(self) -> list[tuple[str, str, str]]:
        """Return name, revision and content of each bundle's status, sorted."""
        query = {"query": "bundles = [x | x := data.system.bundles]"}
        body = self._connection.request("POST", "/v1/query", query, max_bytes=_MAX_ANSWER_BYTES)
        results = msgspec.json.decode(body, type=_BundleResult).result
        if not results:
            raise msgspec.ValidationError
        found = results[0].bundles[0] if results[0].bundles else {}
        return sorted((name, _find_bundle_revision(name, raw), bytes(raw).decode()) for name, raw in found.items())

    def _update_digest(self, policies: Sequence[_Policy]) -> None:
        """Let OPA compute the digest of the data of *policies*, which may be large. Without it, the former one counts.

        It is not part of what shows whether the server answers.
        """
        began_s = time.monotonic()
        if began_s < self._digest_at_s:
            return
        documents = ", ".join(f"[x | x := {build_reference(parts)}]" for parts in find_data(policies))
        query = {"query": f"digest = crypto.sha256(json.marshal([{documents}]))"}
        try:
            body = self._connection.request("POST", "/v1/query", query, max_bytes=_MAX_ANSWER_BYTES)
            for one in msgspec.json.decode(body, type=_DigestResult).result:
                self._digest = one.digest
        except (OpaError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        ended_s = time.monotonic()
        if ended_s - began_s > _SLOW_DIGEST_S:
            self._digest_at_s = ended_s + _SLOW_DIGEST_PAUSE * (ended_s - began_s)


def _find_problems(exc: OpaStatusError | LongAnswerError) -> tuple[PolicyProblem, ...]:
    """Return what in policies made a query fail; () if the server failed."""
    if isinstance(exc, LongAnswerError):
        return (PolicyProblem(message=str(exc)),)
    return find_policy_problems(exc.status, exc.body)


def find_data(policies: Iterable[_Policy]) -> list[tuple[str, ...]]:
    """Return the paths in `data` to which *policies* refer, but for what a policy defines.

    A reference with a variable, as `data.dns[name]`, counts as the part before it.
    """
    referred: set[tuple[str, ...]] = set()
    defined: set[tuple[str, ...]] = set()
    for policy in policies:
        defined.update((*policy.package, name) for name in policy.find_names(with_functions=True))
        for found in _REFERENCE.findall(policy.raw):
            referred.add(tuple(name or key for name, key in _REFERENCE_PART.findall(found)))
    own = [path for path in referred if path[0] not in _UNWATCHED and not any(_overlap(path, one) for one in defined)]
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
