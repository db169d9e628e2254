"""Build the documentation as a site: `make docs`.

The pages are the Markdown files of the repository, as its browser shows them: no page has a directive of Sphinx. What a
site needs besides, the menu, is appended to docs/README.md while it is read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import pending_xref

from extdns import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
MENU = (
    ("Start", ("README", "docs/quick-start", "docs/tutorials/*")),
    ("How to", ("docs/how-to/*",)),
    ("Operate", ("docs/troubleshooting", "docs/operations", "docs/security-model", "docs/multi-tenancy")),
    ("Understand", ("docs/concepts", "docs/features", "docs/comparison", "docs/faq", "docs/performance")),
    ("Reference", ("docs/reference/*", "charts/extdns/README")),
    ("Runbooks", ("docs/runbooks/*",)),
    ("Project", ("CHANGELOG", "SECURITY", "CONTRIBUTING", "docs/design/*", "docs/spec/*")),
)
"""The captions of the menu, each with its pages; pages of a folder are in the order of their file names."""

project = "extdns"
version = release = __version__
project_copyright = "the extdns authors, Apache-2.0"
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = ["*.md", "docs/**.md", "charts/extdns/README.md"]
exclude_patterns = [".*", "build"]
nitpicky = True
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]
html_theme = "furo"
html_title = f"extdns {__version__}"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
templates_path = ["templates"]
html_additional_pages = {"index": "index.html"}  # leads to docs/README.html
pygments_style = "default"


def prepare_page(_: Sphinx, page: str, text: list[str]) -> None:
    """Write the anchors of the page *page* as MyST does, and append the menu to the first page."""
    text[0] = ANCHOR.sub(r"[]{#\1}", text[0])
    if page == root_doc:
        for caption, entries in MENU:
            lines = "\n".join(f"/{entry}" for entry in entries)
            text[0] += f"\n```{{toctree}}\n:caption: {caption}\n:glob:\n:hidden:\n\n{lines}\n```\n"


def unlink_folders(app: Sphinx, page: nodes.document) -> None:
    """Show a link to a folder of the repository, which the site does not have, as text."""
    folder = Path(app.env.doc2path(app.env.current_document.docname)).parent
    for link in list(page.findall(pending_xref)):
        if (folder / link["reftarget"]).is_dir():
            link.replace_self(link[0])


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("source-read", prepare_page)
    app.connect("doctree-read", unlink_folders)
