"""Converged worlds, one module for each topic with a tuple `WORLDS`; tests/swap/test_worlds.py collects them."""
