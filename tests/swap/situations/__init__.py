"""Converged situations: a tuple `SITUATIONS` for each topic, collected by tests/swap/test_situations.py."""
