"""Change the core in small ways, one at a time, and see whether a test fails.

A changed program is called a mutant. A test that fails kills it; a mutant that no test kills survives.
`tests/mutants.tsv` lists a sample of them, with the result of each and the test function that killed it first.

    .venv/bin/python tools/mutate.py check                           # all killed mutants of the list: 6 min of CPU time
    .venv/bin/python tools/mutate.py check extdns/planner/decide.py  # those of some files
    .venv/bin/python tools/mutate.py record                          # draw the sample again, and try it: an hour

`check` prints which mutants of the list are no longer killed, and exits with 1 if there are any. It tries the test that
killed the mutant before. If that one passes or is gone, it runs all tests once to see which execute the line, and tries
the others of these; the list then names the one that kills it.

A mutant is found again by its file, function, kind, old text and number among those with the same old text in that
function, so its line may change. If its code is gone, `check` says so; that is no failure.

Results: killed, survived, uncovered (no test executes it), timeout (neither killed nor alive).

Everything runs in temporary copies of the checkout. Each run of pytest is a fork of a process that has imported every
package except ours, so it imports the changed code and takes a fifth of the time of a process of its own.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import zip_longest
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any, Final, NamedTuple

import coverage
import pytest
from hypothesis import Phase, settings

OWN_TESTS: Final = {
    "extdns/model": "tests/unit/model",
    "extdns/planner": "tests/unit/planner",
    "extdns/engine": "tests/unit/engine",
    "registry": "tests/unit/registry",
}
"""The packages that are changed, and the tests of each, which are tried first."""
TESTS: Final = (
    *OWN_TESTS.values(),
    "tests/conformance/test_row_stores.py",
    "tests/incidents",
    "--ignore-glob=*/test_machine.py",  # seconds for each mutant
    "--ignore-glob=*/test_churn.py",
    "--ignore-glob=*/test_save_rate.py",
)
MOST_FUNCTIONS: Final = 600
MOST_TOGETHER_S: Final = 30.0
"""At most so many test functions try a mutant. They take at most so long together when no code is changed."""
LIMIT_CPU_S: Final = 60
LIMIT_S: Final = 180.0
"""A run of one mutant that takes more CPU time, or longer in all, is a timeout."""
CHECKOUT: Final = Path(__file__).parents[1]
LIST: Final = CHECKOUT / "tests" / "mutants.tsv"
FORK: Final = multiprocessing.get_context("fork")

Row = dict[str, str]
"""A line of the list."""
COLUMNS: Final = (
    "package", "file", "function", "kind", "old", "number", "new", "line", "column", "result", "killed_by",
)  # fmt: skip
OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


class Mutant(NamedTuple):
    """One changed expression: its row, its lines with the first of its statement, its module, and its nodes."""

    row: Row
    lines: set[int]
    tree: ast.Module
    old: ast.expr
    new: ast.expr


def list_mutants(file: str) -> Iterator[Mutant]:
    """List the mutants of *file*."""
    tree = ast.parse(Path(file).read_text())
    package = next(package for package in OWN_TESTS if file.startswith(f"{package}/"))
    numbers: Counter[tuple[str, str, str]] = Counter()
    for function, statement, node in _walk(tree.body):
        for kind, old, new in _list_changes(node):
            text = _text(old)
            numbers[function, kind, text] += 1
            number = numbers[function, kind, text]
            values = (package, file, function, kind, text, number, _text(new), old.lineno, old.col_offset + 1, "", "")
            lines = {statement, *range(old.lineno, (old.end_lineno or old.lineno) + 1)}
            yield Mutant(dict(zip(COLUMNS, map(str, values), strict=True)), lines, tree, old, new)


def _walk(
    nodes: Iterable[ast.AST], names: tuple[str, ...] = (), statement: int = 0, *, inside: bool = False
) -> Iterator[tuple[str, int, ast.AST]]:
    """List the nodes within functions, each with the function's name and the first line of its statement."""
    for node in nodes:
        line = node.lineno if isinstance(node, ast.stmt) else statement
        if inside:
            yield ".".join(names), line, node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            function = inside or not isinstance(node, ast.ClassDef)
            yield from _walk(node.body, (*names, node.name), line, inside=function)
        else:
            yield from _walk(ast.iter_child_nodes(node), names, line, inside=inside)


def _list_changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """List the kind, the old and the new expression of each change of *node* itself."""
    match node:
        case ast.Compare(left=left, ops=[first, *more], comparators=right) if type(first) in OPPOSITE:
            yield "compare", node, ast.Compare(left, [OPPOSITE[type(first)](), *more], right)
        case ast.BoolOp(op=op, values=[first, *more]):
            yield "bool", node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), [first, *more])
            yield "operand", node, ast.BoolOp(op, more) if more[1:] else first
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, operand
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                yield "if", test, ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool(value)):
            yield "flag", node, ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "number", node, ast.Constant(value + 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            yield "arith", node, ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", value, ast.Constant(None)


def _text(expression: ast.expr) -> str:
    return " ".join(ast.unparse(expression).split())[:80]


class _Replace(ast.NodeTransformer):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def visit(self, node: ast.AST) -> ast.AST:
        return self.mutant.new if node is self.mutant.old else self.generic_visit(node)


class Report:
    """A plugin of pytest that runs tests in the order in which *functions* names them, and notes what happens."""

    def __init__(self, functions: Sequence[str]) -> None:
        self.functions = functions
        self.collected: set[str] = set()
        self.failed: list[str] = []
        self.duration_s: defaultdict[str, float] = defaultdict(float)

    def pytest_configure(self) -> None:
        """Leave out the search for the simplest example that fails, which takes long."""
        settings.register_profile("first", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("first")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Set the order."""
        rank = {function: number for number, function in enumerate(self.functions)}
        items.sort(key=lambda item: rank.get(_function(item.nodeid), 0))
        self.collected |= {_function(item.nodeid) for item in items}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the tests of a file that cannot be imported as failed."""
        if report.failed:
            self.failed += [function for function in self.functions if function.startswith(report.nodeid)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how long a test took, and whether it failed."""
        self.duration_s[_function(report.nodeid)] += report.duration
        if report.failed:
            self.failed.append(_function(report.nodeid))

    def save(self) -> None:
        """Write what happened, and which modules that are not ours were imported."""
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        imported = [name for name, file in files.items() if file and not Path(file).is_relative_to(Path.cwd())]
        values = {"collected": [*self.collected], "failed": self.failed, "duration_s": self.duration_s}
        Path("report.json").write_text(json.dumps(values | {"imported": imported}))


def _function(test: str) -> str:
    return test.partition("[")[0]


def run_pytest(*arguments: str, functions: Sequence[str] = ()) -> tuple[int | None, dict[str, Any]]:
    """Run pytest in a fork, with limits if it runs *functions*. Return its exit code (None: timeout) and report."""
    Path("report.json").write_text('{"failed": []}')
    process = FORK.Process(target=_run_pytest, args=(arguments, functions))
    process.start()
    assert process.pid
    try:
        process.join(LIMIT_S if functions else None)
        code = process.exitcode
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also what its tests started and left
        process.join()
    return None if code == -signal.SIGXCPU else code, json.loads(Path("report.json").read_text())


def _run_pytest(arguments: Sequence[str], functions: Sequence[str]) -> None:
    os.setsid()
    if functions:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_CPU_S, LIMIT_CPU_S + 1))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    quiet = ("-q", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    report = Report(functions)
    code = pytest.main([*quiet, *arguments, *functions], plugins=[report])
    report.save()
    sys.exit(code)


def copy_checkout(folder: Path) -> None:
    """Copy the files that git lists or would add, as they are now."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(command, cwd=CHECKOUT, text=True).split("\0")[:-1]:
        if (CHECKOUT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name, follow_symlinks=False)


def import_packages() -> set[str]:
    """Import every package that the tests import, except ours. Return the test functions."""
    _, report = run_pytest("--collect-only", *TESTS)
    for name in report["imported"]:
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(ImportError):
            importlib.import_module(name)
    return set(report["collected"])


class Tests:
    """Which test functions execute which line, and how long each takes: all are run once, on *workers* processes."""

    def __init__(self, workers: int) -> None:
        # Without the settings of pyproject.toml, which measure more: branches, and all packages.
        measured = (*(f"--cov={package}" for package in OWN_TESTS), f"--cov-config={os.devnull}")
        _, report = run_pytest("-n", str(workers), *measured, "--cov-context=test", "--cov-report=", *TESTS)
        self.duration_s: dict[str, float] = report["duration_s"]
        print(len(self.duration_s), "test functions; those that fail are not used:", *report["failed"], flush=True)
        data = coverage.CoverageData()
        data.read()
        self.functions: dict[tuple[str, int], set[str]] = defaultdict(set)
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                functions = {_function(context.split("|")[0]) for context in contexts}
                self.functions[os.path.relpath(file), line] = functions - {"", *report["failed"]}

    def choose(self, mutant: Mutant) -> list[str]:
        """Choose the functions that execute *mutant*: those of its package first, of these the fastest first."""
        own = OWN_TESTS[mutant.row["package"]] + "/"
        covering = {function for line in mutant.lines for function in self.functions[mutant.row["file"], line]}
        chosen, together_s = [], 0.0
        for function in sorted(covering, key=lambda name: (not name.startswith(own), self.duration_s[name])):
            together_s += self.duration_s[function]
            if together_s < MOST_TOGETHER_S:
                chosen.append(function)
        return chosen[:MOST_FUNCTIONS]


def try_mutant(row: Row, functions: Sequence[str]) -> Row:
    """Run *functions* on the mutant in the current folder, and return its row with the result."""
    if not functions:
        return row | {"result": "uncovered"}
    path = Path(row["file"])
    mutant = next(mutant for mutant in list_mutants(row["file"]) if _identity(mutant.row) == _identity(row))
    kept = path.rename(path.with_suffix(".kept"))
    try:
        path.write_text(ast.unparse(_Replace(mutant).visit(mutant.tree)))
        return row | _find_killer(functions)
    finally:
        kept.replace(path)


def _find_killer(functions: Sequence[str]) -> Row:
    left = [*functions]
    while left:
        code, report = run_pytest("-x", functions=left)
        if code is None:
            return {"result": "timeout"}
        if code == 0:
            break
        killer = [*report["failed"], left[0]][0]  # if pytest cannot even start, any test kills the mutant
        # Hypothesis draws other examples beside other tests; the killer must fail alone too.
        if len(left) == 1 or run_pytest(functions=[killer])[0]:
            return {"result": "killed", "killed_by": killer}
        left.remove(killer)
    return {"result": "survived"}


def try_mutants(tasks: Sequence[tuple[Row, Sequence[str]]], workers: int) -> Iterator[Row]:
    """Try each mutant with its test functions, on *workers* copies of the current folder."""
    copies: SimpleQueue[str] = FORK.SimpleQueue()
    for number in range(workers):
        copy = Path.cwd().with_name(f"copy-{number}")
        copies.put(str(shutil.copytree(Path.cwd(), copy, symlinks=True, dirs_exist_ok=True)))
    with ProcessPoolExecutor(workers, FORK, _enter_copy, (copies,)) as pool:
        for done, future in enumerate(as_completed([pool.submit(try_mutant, *task) for task in tasks]), 1):
            row = future.result()
            print(f"{done} of {len(tasks)}: {_describe(row)}", flush=True)
            yield row


def _enter_copy(copies: SimpleQueue[str]) -> None:
    os.environ["PYTHONPATH"] = copies.get()  # for the processes that tests start
    os.chdir(os.environ["PYTHONPATH"])
    # A compiled mutant could be taken for the next one.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True


def record(seed: int, count: int, workers: int) -> int:
    """Draw *count* mutants of each package, try them, the packages by turns, and write the list."""
    import_packages()
    tests = Tests(workers)
    drawn = []
    for package in OWN_TESTS:
        mutants = [mutant for path in sorted(Path(package).rglob("*.py")) for mutant in list_mutants(str(path))]
        random.Random(f"{seed} {package}").shuffle(mutants)
        drawn.append(mutants[:count])
    tasks = [(mutant.row, tests.choose(mutant)) for turn in zip_longest(*drawn) for mutant in turn if mutant]
    rows: list[Row] = []
    for row in try_mutants(tasks, workers):
        rows.append(row)
        write_list(rows)
    for (package, result), total in sorted(Counter((row["package"], row["result"]) for row in rows).items()):
        print(package, result, total)
    return 0


def check(files: Sequence[str], workers: int) -> int:
    """Say which killed mutants of the list, or of *files* in it, are no longer killed."""
    existing = import_packages()
    listed = {_identity(row): row for row in read_list()}
    chosen = [row for row in listed.values() if not files or row["file"] in files]
    before = {_identity(row): row for row in chosen if row["result"] == "killed"}
    present = [file for file in sorted({row["file"] for row in before.values()}) if Path(file).exists()]
    mutants = {
        key: mutant for file in present for mutant in list_mutants(file) if (key := _identity(mutant.row)) in before
    }
    for key in before.keys() - mutants.keys():
        print("gone:", _describe(before[key]))
    killers = [(mutant.row, before[key]["killed_by"]) for key, mutant in mutants.items()]
    tasks = [(row, [killer]) for row, killer in killers if killer in existing]
    results = {_identity(row): row for row in try_mutants(tasks, workers)}
    killed = {key: row for key, row in results.items() if row["result"] == "killed"}
    if mutants.keys() - killed.keys():
        tests = Tests(workers)
        left = [(mutant, before[key]["killed_by"]) for key, mutant in mutants.items() if key not in killed]
        tasks = [(mutant.row, [name for name in tests.choose(mutant) if name != killer]) for mutant, killer in left]
        results |= {_identity(row): row for row in try_mutants(tasks, workers)}
        killed = {key: row for key, row in results.items() if row["result"] == "killed"}
    write_list((listed | killed).values())
    for key in mutants.keys() - killed.keys():
        print("no longer killed:", _describe(results[key]), "before:", before[key]["killed_by"])
    print(f"{len(mutants)} mutants tried, {len(mutants) - len(killed)} no longer killed")
    return 1 if len(killed) < len(mutants) else 0


def _describe(row: Row) -> str:
    place = f"{row['file']}:{row['line']} {row['function']}"
    return f"{row['result']} {place}: {row['old']} -> {row['new']} {row['killed_by']}"


def _identity(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("file", "function", "kind", "old", "number"))


def read_list() -> list[Row]:
    """Read the list."""
    lines = LIST.read_text().splitlines()[1:]
    return [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lines]


def write_list(rows: Iterable[Row]) -> None:
    """Write *rows* to the list, in the order of the code."""
    ordered = sorted(rows, key=lambda row: (row["file"], int(row["line"]), int(row["column"]), row["kind"]))
    lines = (COLUMNS, *(row.values() for row in ordered))
    LIST.write_text("".join("\t".join(line) + "\n" for line in lines))


def main() -> int:
    """Run the command in a copy of the checkout."""
    if os.environ.get("PYTHONHASHSEED") != "0":  # so that sets have the same order each time
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "record"])
    parser.add_argument("files", nargs="*", help="only check the mutants of these")
    parser.add_argument("--workers", type=int, default=2, help="how many mutants to try at a time (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants to draw (default: 1)")
    parser.add_argument("--count", type=int, default=200, help="how many mutants of a package to draw (default: 200)")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mutate-"))
    try:
        copy_checkout(folder / "checkout")
        os.chdir(folder / "checkout")
        tempfile.tempdir = str(folder)
        os.environ |= {"CI": "1", "TMPDIR": str(folder), "PYTHONPATH": str(Path.cwd()), "COVERAGE_CORE": "ctrace"}
        if arguments.command == "record":
            return record(arguments.seed, arguments.count, arguments.workers)
        return check(arguments.files, arguments.workers)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
