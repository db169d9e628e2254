"""Tests: `unit` mirrors the rooms; the other folders say what they need.

Names are sentences of behaviour; tables carry ids that name the section of the spec they come from.
Fakes have state and tests of their own; what a value, the in-memory provider or a loopback server can
show needs no mock. Laws are properties, and their generators live in `strategies.py`.

No test sleeps, measures time or reaches further than loopback (`conftest.py` sees to the last).
"""
