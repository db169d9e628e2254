"""The error about a program that does not start contains its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kubernetes.process import Process


def test_a_program_that_ends_early_is_reported_with_its_last_output(tmp_path: Path) -> None:
    process = Process(["sh", "-c", "echo no such flag >&2; exit 3"], tmp_path / "log")
    with pytest.raises(RuntimeError, match=r"sh ended with code 3\nno such flag"):
        process.wait_until(lambda: False, "answer", within_s=30)


def test_a_program_that_does_not_start_in_time_is_killed(tmp_path: Path) -> None:
    process = Process(["sleep", "60"], tmp_path / "log")
    with pytest.raises(RuntimeError, match="sleep: no answer within 0 s"):
        process.wait_until(lambda: False, "answer", within_s=0)
    with pytest.raises(RuntimeError, match="sleep ended with code -9"):
        process.wait_until(lambda: False, "answer", within_s=30)


def test_a_program_that_has_started_runs_until_it_is_killed(tmp_path: Path) -> None:
    process = Process(["sleep", "60"], tmp_path / "log")
    answers = iter([False, True])
    process.wait_until(lambda: next(answers), "answer", within_s=30)
    process.kill()
    with pytest.raises(RuntimeError, match="code -9"):
        process.wait_until(lambda: False, "answer", within_s=30)
