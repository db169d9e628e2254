"""The CEL evaluator, without its command line.

The package `cel` imports its command line when it is imported, and with it typer and prompt-toolkit: 0.2 s of CPU. Its
parser bounds its own recursion, its regular expressions take linear time, and an expression can call nothing but the
functions that it is given.
"""

from __future__ import annotations

import logging

from extdns.partial_import import import_partially

with import_partially("cel"):
    from cel.cel import Context, Program
    from cel.cel import compile as compile_program
    from cel.stdlib import EXTENSIONS

__all__ = ["EXTENSIONS", "Context", "Program", "compile_program"]

logging.getLogger("cel").setLevel(logging.CRITICAL)  # it logs each error of a function, which is also raised
