"""A registry without ownership records (docs/spec/plan.md 3.1)."""
