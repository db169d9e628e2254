"""Tests: `unit` has the packages of the product; the other folders are named for what they test.

Names of tests are sentences about behaviour. Ids of parameters name the section of the specification that they come
from. Fakes have state and tests of their own; no mocks where a value, the in-memory provider or a loopback server
suffices. Laws are tested as properties, with the generators of `strategies.py`.

No test sleeps, measures time, or opens connections beyond loopback (`conftest.py` prevents the latter).
"""
