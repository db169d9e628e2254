"""Take the pictures in README from a real run: the live page of the demo's shop, and a plan.

`make pictures` writes them into docs/images. They need Chromium.
"""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from selenium.webdriver import Chrome

from tests.program.process import ROOT
from tests.slow.browser.chromium import start_chromium
from tests.slow.browser.live_page import read_text, wait_until
from tests.slow.browser.process_with_page import serve_page
from tests.slow.browser.screen import set_screen

PICTURES: Final = ("page.png", "plan.png")
_COLUMNS: Final = 112
_WIDTH: Final = 1280
_PAGE_HEIGHT: Final = 700
_TIMEOUT_S: Final = 120.0
_TERMINAL: Final = """<!doctype html><html><head><style>
body {{ margin: 0; padding: 18px; background: #14171a; color: #e6e9ec; width: max-content; }}
pre {{ margin: 0; font: 14px/1.4 "DejaVu Sans Mono", monospace; }}
</style></head><body><pre>{code}</pre></body></html>"""


def take_pictures(browser: Chrome, folder: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    with _copy_shop() as flags:
        set_screen(browser, width=_WIDTH, height=_PAGE_HEIGHT)
        with serve_page(*flags) as (address, _):
            browser.get(address)
            wait_until(browser, lambda now: re.fullmatch(r"\d+ of (?!.* changing).*", read_text(now, ".sentence")))
            browser.get(address)
            _save(browser, folder / PICTURES[0])
    with _copy_shop("shop.yaml", "data.yaml") as flags:
        _run("--once", *flags)
        _edit_shop(Path(flags[0].partition("=")[2]))
        plan = _render_terminal(f"$ extdns plan @shop.flags\n{_run('plan', *flags)}")
    page = base64.b64encode(_TERMINAL.format(code=plan).encode()).decode()
    browser.get(f"data:text/html;charset=utf-8;base64,{page}")
    width, height = browser.execute_script(
        "const {width, height} = document.body.getBoundingClientRect(); return [width, height]"
    )
    set_screen(browser, width=int(width) + 1, height=int(height) + 1)
    _save(browser, folder / PICTURES[1])


@contextmanager
def _copy_shop(*names: str) -> Iterator[tuple[str, ...]]:
    """Copy the zone files and the manifests of the demo, or only those with *names*; yield the flags that use them."""
    with tempfile.TemporaryDirectory() as folder:
        manifests, zones = Path(folder, "manifests"), Path(folder, "zones")
        manifests.mkdir()
        for path in (ROOT / "examples" / "demo").iterdir():
            if not names or path.name in names:
                shutil.copy(path, manifests)
        shutil.copytree(ROOT / "examples" / "zones", zones)
        yield (
            f"--manifests={manifests}",
            "--source=service",
            "--source=ingress",
            "--provider=zonefile",
            f"--zonefile-dir={zones}",
            "--txt-owner-id=demo",
            "--metrics-address=127.0.0.1:0",
        )


def _edit_shop(manifests: Path) -> None:
    """Change an address and a hostname and delete a Service, so that the plan has changes of each kind."""
    shop = manifests / "shop.yaml"
    documents = shop.read_text(encoding="utf-8").split("---\n")
    text = "---\n".join(one for one in documents if "name: images" not in one)
    text = text.replace("203.0.113.7\n", "203.0.113.8\n").replace("host: www.shop", "host: store.shop")
    shop.write_text(text, encoding="utf-8")


def _run(*arguments: str) -> str:
    """Run extdns; return its output with colors. Something in the shop is always held back, which exit codes report."""
    environ = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color"}
    command = (sys.executable, "-m", "extdns", *arguments)
    done = subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    return done.stdout


def _render_terminal(text: str) -> str:
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), legacy_windows=False)
    console.print(Text.from_ansi(text))
    return console.export_html(inline_styles=True, code_format="{code}", theme=MONOKAI)


def _save(browser: Chrome, path: Path) -> None:
    path.write_bytes(base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {})["data"]))


def main() -> None:
    folder = ROOT / "docs" / "images"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as profile, start_chromium(Path(profile)) as browser:
        take_pictures(browser, folder)


if __name__ == "__main__":
    main()
