"""Types that several threads decode for the first time at the same moment, which would end the process."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from tests.program.process import ROOT, environment

PROGRAM: Final = """
import sys, threading
import msgspec
from providers.common.http_calls import decode

sys.setswitchinterval(1e-6)
content = msgspec.json.encode({f"f{number}": {} for number in range(20)})

def read(form, barrier):
    barrier.wait()
    assert decode(content, form) is not None

for _ in range(50):
    inner = msgspec.defstruct("Inner", [(f"f{number}", int, 0) for number in range(20)])
    form = msgspec.defstruct("Outer", [(f"f{number}", inner) for number in range(20)])
    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=read, args=(form, barrier)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_can_decode_the_first_answers_of_a_kind_at_the_same_time() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, cwd=ROOT, env=environment(), stderr=subprocess.PIPE
    )
    assert (done.returncode, done.stderr) == (0, b"")
