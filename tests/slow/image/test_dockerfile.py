"""The Dockerfile: what the image is built from, and how it is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.slow.image.dockerfile import ROOT, Step, sources, stages

PINNED: Final = re.compile(r"(?P<name>[\w./-]+):(?P<tag>[\w.-]+)@sha256:[0-9a-f]{64}")
PYTHON_OF_DEBIAN: Final = {"python3-debian12": "3.11", "python3-debian13": "3.13"}
NOBODY: Final = 65532


def find_base(stage: list[Step]) -> re.Match[str]:
    """Return the name and the tag of the base of a stage, which must be pinned by its digest."""
    (pinned,) = [found for word in stage[0].text.split() if (found := PINNED.fullmatch(word))]
    return pinned


def test_hadolint_reports_no_problem_in_the_dockerfile() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run((linter, ROOT / "Dockerfile"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_dockerignore_allows_exactly_the_paths_that_the_dockerfile_copies() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(sources())


def test_the_base_images_are_pinned_by_digest_and_both_have_the_same_python_version() -> None:
    build, image = map(find_base, stages())
    assert build["name"] == "python"
    assert build["tag"].startswith(f"{PYTHON_OF_DEBIAN[image['name'].rpartition('/')[2]]}-")


def test_the_image_has_a_non_root_user_port_stop_signal_and_entrypoint() -> None:
    final = {step.name: step.text for step in stages()[-1]}
    assert final["USER"] == f"{NOBODY}:{NOBODY}"
    assert final["EXPOSE"] == "7979"
    assert final["STOPSIGNAL"] == "SIGTERM"
    assert final["ENTRYPOINT"] == '["extdns"]'
    assert "PATH=/opt/extdns/bin:$PATH" in final["ENV"]
