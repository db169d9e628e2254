"""The CEL evaluator. Imported only if there are rules, because its package imports its command line, which is slow.

Its parser bounds its own recursion, its regular expressions take linear time, and an expression can call nothing but
the functions that it is given.
"""

from __future__ import annotations

import logging

from cel import Context, Program
from cel import compile as compile_program
from cel.stdlib import EXTENSIONS

__all__ = ["EXTENSIONS", "Context", "Program", "compile_program"]

logging.getLogger("cel").setLevel(logging.CRITICAL)  # it logs each error of a function, which is also raised
