"""Subcommands: one module each, from parsed configuration to exit code.

A command asks `extdns.app` for the parts it needs, runs them, and turns the result into words for
people or JSON for programs. Tone and layout: the answer first, the evidence below it, the next step
last.

Here does not belong anything that another command would need: then it is a room's business.
Modules are imported when their command is chosen, so that `--help` stays quick.
"""
