"""extdns keeps DNS records in step with Kubernetes.

Each package has one concern, which its docstring describes. Packages are connected in `extdns.app` only. All others
use values (`extdns.model`) and protocols (`extdns.ports`), so that a source, a registry or a provider can be replaced
without a change elsewhere.

The core (`model`, `planner`, `engine`) is pure: no I/O, no clock, no randomness, no environment, no log. The engine
returns what to do as effects, and takes what happened as inputs.

This file imports nothing, so that `--version` and `--help` start fast.
"""

__version__ = "0.1.0"
