"""Keep the last valid version of each DNSPolicy of one origin, such as a cluster or files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from extdns.cel.policy import CompiledPolicy, compile_policy
from extdns.cel.policy_document import PolicyMatch, read_policy
from extdns.cel.policy_rules import UnavailablePolicy
from extdns.cel.typical_inputs import evaluate_dry
from extdns.model.change import RuleAction
from extdns.model.cluster import ClusterChange, IdentityRead, KindChange, KindState, ObjectChange, ObjectProblem, Phase
from extdns.model.kind import ObjectKey
from extdns.model.value import Value
from extdns.resources.extdns import DNS_POLICY, DnsPolicy

MAX_POLICIES: Final = 500
MAX_ALL_VALIDATIONS: Final = 2000
"""The most DNSPolicies of one origin that are used, and their most validations in total."""

_LINE: Final = re.compile(r":\d+$")


class PolicyVersion(Value, frozen=True, kw_only=True):
    """What reading and compiling the last version of a DNSPolicy gave.

    Attributes:
        policy: None if there is a problem.
        match: which inputs it may concern.
        file: where it was read from, "" if from a cluster.
        warnings: what is valid, but perhaps not meant: as typical inputs for which an expression has no value.
    """

    policy: CompiledPolicy | None
    match: PolicyMatch
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    generation: int = 0
    file: str = ""


class PolicyState(Value, frozen=True, kw_only=True):
    """The state of one DNSPolicy, for logs, pages and its status.

    Attributes:
        generation: the generation of the last version.
        problems: what is wrong with the last version, and with documents of the same name in other files.
        is_used: whether a version is used: the last one, or the last valid one.
        is_former: whether the version that is used is not the last one.
        action: of the version that is used, None if there is none.
        file: where it was read from, "" if from a cluster.
    """

    key: ObjectKey
    generation: int
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    is_used: bool
    is_former: bool = False
    action: RuleAction | None = None
    file: str = ""

    @property
    def label(self) -> str:
        """What messages call it: its kind, its name and, if there is one, its file."""
        return _build_label(self.key, self.file)


def check_policy(name: str, spec: object) -> PolicyVersion:
    """Read and compile the *spec* of the DNSPolicy *name*, and evaluate it on typical inputs. Never raises."""
    parsed = read_policy(name, spec)
    if parsed.text is None:
        return PolicyVersion(policy=None, match=parsed.match, problems=parsed.problems)
    policy = compile_policy(parsed.text)
    if not isinstance(policy, CompiledPolicy):
        return PolicyVersion(policy=None, match=parsed.match, problems=policy)
    dry = evaluate_dry(policy)
    if dry.problems:
        return PolicyVersion(policy=None, match=parsed.match, problems=dry.problems)
    return PolicyVersion(policy=policy, match=parsed.match, warnings=parsed.warnings + dry.warnings)


class PolicyIndex:
    """The DNSPolicies of one origin, in their last valid version. Calls must not overlap."""

    def __init__(self) -> None:
        self._phase = KindState(kind=DNS_POLICY, phase=Phase.LISTING)
        self._is_listed = False
        self._last: dict[ObjectKey, PolicyVersion] = {}
        self._valid: dict[ObjectKey, CompiledPolicy] = {}
        self._excess: frozenset[ObjectKey] = frozenset()  # valid policies beyond the limits
        self._problems: dict[tuple[str, ObjectKey | None], str] = {}
        self._unread_files: frozenset[str] = frozenset()  # that could not be read when everything was listed

    @property
    def is_ready(self) -> bool:
        """Whether all DNSPolicies of the origin were read once, or cannot be listed now."""
        return self._is_listed or self._phase.phase is not Phase.LISTING

    @property
    def policies(self) -> tuple[CompiledPolicy, ...]:
        """The last valid version of each policy that has one, up to the allowed number of policies and validations."""
        return tuple(self._valid[key] for key in sorted(self._valid.keys() - self._excess))

    def apply(self, changes: Iterable[ClusterChange]) -> None:
        """Store the DNSPolicies, problems and list states in *changes*, in their order."""
        for change in changes:
            match change:
                case ObjectChange():
                    self._apply_object(change)
                case ObjectProblem(is_ignored=False):
                    self._problems.pop((change.location, change.key), None)
                    if change.message:
                        self._problems[change.location, change.key] = change.message
                case KindChange(state=state) if state.kind == DNS_POLICY:
                    self._phase = state
                case KindChange() | ObjectProblem() | IdentityRead():
                    pass
        self._excess = self._find_excess()
        unread = frozenset(_find_file(location) for location, key in self._problems if key is None)
        if not self._is_listed and self._phase.phase is Phase.SYNCED:
            self._is_listed = True
            self._unread_files = unread
        self._unread_files &= unread

    def find_unavailable(self) -> Iterator[UnavailablePolicy]:
        """Yield each policy that has no valid version or is over the allowed number, and each unread file and list."""
        if not self._is_listed:
            detail = self._phase.detail or f"the list is not complete ({self._phase.phase})"
            yield UnavailablePolicy(problem=f"DNSPolicies: {detail}")
        for key, version in self._last.items():
            if key not in self._valid:
                problem = f"{_build_label(key, version.file)}: {version.problems[0]}"
                yield UnavailablePolicy(problem=problem, match=version.match)
        for key in self._excess:
            problem = f"{_build_label(key, self._last[key].file)}: {self._describe_excess()}"
            yield UnavailablePolicy(problem=problem, match=self._valid[key].match)
        for (location, named), message in self._problems.items():
            is_unread = named is None and _find_file(location) in self._unread_files
            if is_unread or (named is not None and named.kind == DNS_POLICY and named not in self._last):
                yield UnavailablePolicy(problem=f"{location}: {message}")

    def list_states(self) -> Iterator[PolicyState]:
        """Yield the state of each policy, sorted by name."""
        others: dict[ObjectKey, list[tuple[str, str]]] = {}  # file and problem of documents that are not used
        for (location, named), message in sorted(self._problems.items(), key=lambda item: item[0][0]):
            if named is not None and named.kind == DNS_POLICY:
                file = _find_file(location)
                problem = (file, f"{location}: {message}") if file != location else ("", message)
                others.setdefault(named, []).append(problem)
        for key in sorted({*self._last, *others}):
            version = self._last.get(key)
            problems = version.problems if version else ()
            if key in self._excess:
                problems += (self._describe_excess(),)
            file = version.file if version else others[key][0][0]
            used = self._valid.get(key) if key not in self._excess else None
            yield PolicyState(
                key=key,
                generation=version.generation if version else 0,
                problems=(*problems, *(text for _, text in others.get(key, ()))),
                warnings=version.warnings if version else (),
                is_used=used is not None,
                is_former=used is not None and (bool(problems) or any(at == file for at, _ in others.get(key, ()))),
                action=used.text.action if used else None,
                file=file,
            )

    def list_problems(self) -> Iterator[str]:
        """Yield a message for each problem of a DNSPolicy, a file, or the list of DNSPolicies, which it names first."""
        if self._phase.phase is not Phase.SYNCED and self._phase.detail:
            yield f"DNSPolicies: {self._phase.detail}"
        for (location, _), message in sorted(self._problems.items(), key=lambda item: item[0][0]):
            yield f"{location}: {message}"
        if self._excess:
            yield f"DNSPolicies: {self._describe_excess()}"
        for key, version in sorted(self._last.items()):
            yield from (f"{_build_label(key, version.file)}: {problem}" for problem in version.problems)

    def _find_excess(self) -> frozenset[ObjectKey]:
        """Return the valid policies over the allowed number of policies or validations: the last ones by name."""
        excess, validations = [], 0
        for number, key in enumerate(sorted(self._valid), start=1):
            validations += len(self._valid[key].validations)
            if number > MAX_POLICIES or validations > MAX_ALL_VALIDATIONS:
                excess.append(key)
        return frozenset(excess)

    def _describe_excess(self) -> str:
        count, validations = len(self._valid), sum(len(policy.validations) for policy in self._valid.values())
        return (
            f"there are {count} valid DNSPolicies with {validations} validations; allowed: {MAX_POLICIES} with "
            f"{MAX_ALL_VALIDATIONS} in total; those from {min(self._excess).name} on, sorted by name, are not used"
        )

    def _apply_object(self, change: ObjectChange) -> None:
        key = change.key
        if key.kind != DNS_POLICY:
            return
        if not isinstance(change.new, DnsPolicy):
            self._last.pop(key, None)
            self._valid.pop(key, None)
            return
        version = check_policy(key.name, change.new.spec)
        self._last[key] = replace(version, generation=change.new.metadata.generation, file=change.file)
        if version.policy is not None:
            self._valid[key] = version.policy


def _build_label(key: ObjectKey, file: str) -> str:
    return f"DNSPolicy {key.name} in {file}" if file else f"DNSPolicy {key.name}"


def _find_file(location: str) -> str:
    """Return the file of *location*: without the line number at its end."""
    return _LINE.sub("", location)
