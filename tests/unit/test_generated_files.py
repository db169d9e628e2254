"""The files that are made from the code are up to date."""

import pytest

from tools.generate import FILES, ROOT


@pytest.mark.parametrize("path", FILES)
def test_each_generated_file_is_up_to_date(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == FILES[path](), "run: make generate"
