"""The file of the audit log: rotation, lock, lines that were cut off."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from extdns.audit.line_targets import RotatedFile, StandardOutput

MIB: Final = 1024 * 1024
LARGE: Final = b"x" * (MIB // 2) + b"\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.log"


def build_file(path: Path, *, max_files: int = 2) -> RotatedFile:
    return RotatedFile(path, max_mib=1, max_files=max_files)


def test_lines_are_appended_after_those_of_an_earlier_process(path: Path) -> None:
    path.write_bytes(b"1\n")
    file = build_file(path)
    file.write(b"2\n3\n")
    file.write(b"4\n")
    assert path.read_bytes() == b"1\n2\n3\n4\n"
    file.close()


def test_after_a_cut_off_line_of_an_earlier_process_the_next_line_begins_on_a_line_of_its_own(path: Path) -> None:
    path.write_bytes(b'{"cut')
    file = build_file(path)
    file.write(b"2\n")
    file.close()
    assert path.read_bytes() == b'{"cut\n2\n'


def test_a_full_file_is_renamed_and_the_oldest_of_its_predecessors_is_deleted(path: Path) -> None:
    file = build_file(path)
    for number in range(8):
        file.write(b"%d" % number + LARGE)
    file.close()
    found = {one.name: [line[:1] for line in one.read_bytes().splitlines()] for one in path.parent.iterdir()}
    assert found == {"audit.log": [b"7"], "audit.log.1": [b"6"], "audit.log.2": [b"5"]}
    assert [line[:1] for line in file.read_lines()] == [b"6", b"7"]


def test_a_line_larger_than_the_size_limit_gets_a_file_of_its_own(path: Path) -> None:
    file = build_file(path)
    file.write(LARGE * 3)
    file.write(b"2\n")
    file.close()
    assert path.read_bytes() == b"2\n"
    assert path.with_name("audit.log.1").read_bytes() == LARGE * 3


def test_after_another_program_renamed_or_removed_the_file_a_new_file_is_written(path: Path) -> None:
    file = build_file(path)
    file.write(b"1\n")
    path.rename(path.with_name("moved"))
    file.write(b"2\n")
    assert path.read_bytes() == b"2\n"
    path.unlink()
    file.write(b"3\n")
    file.close()
    assert path.read_bytes() == b"3\n"


def test_a_second_process_cannot_open_the_file_until_the_first_one_closes_it(path: Path) -> None:
    first, second = build_file(path), build_file(path)
    first.write(b"1\n")
    with pytest.raises(OSError, match="another process writes the file"):
        list(second.read_lines())
    first.close()
    second.write(b"2\n")
    second.close()
    assert path.read_bytes() == b"1\n2\n"


def test_a_write_that_fails_halfway_leaves_no_part_of_a_line_in_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = build_file(path)
    file.write(b"1\n")
    real = os.write

    def write_half(descriptor: int, data: memoryview) -> int:
        if len(data) < 5:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_half)
        with pytest.raises(OSError, match="No space left"):
            file.write(b"abcdefgh\n")
    assert path.read_bytes() == b"1\n"
    file.write(b"2\n")
    file.close()
    assert path.read_bytes() == b"1\n2\n"


def test_lines_written_to_standard_output_are_not_loaded_again(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output = StandardOutput()
    output.write(b"1\n")
    output.close()
    assert capfdbinary.readouterr().out == b"1\n"
    assert list(output.read_lines()) == []
