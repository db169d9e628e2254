"""extdns: keeps DNS in step with Kubernetes.

Each package below is a room: it has one concern, and says in its own charter what belongs there.

Rooms meet in `extdns.app` alone. Everything else knows values (`extdns.model`) and seams
(`extdns.ports`), so that a source, a registry or a provider can be replaced without the others
noticing. The core, from `model` over `planner` to `engine`, is pure: no I/O, no clock, no
randomness, no environment, no log. What the world must do is returned as an effect, and what the
world did is passed in.

This file imports nothing: whoever asks for the version, or for `--help`, pays for neither.
"""

__version__ = "0.1.0"
