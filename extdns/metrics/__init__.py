"""Prometheus metrics.

The names that users of external-dns chart and alert on are kept exactly (docs/spec/plan.md 1.8). Metrics that
external-dns does not have begin with `extdns_`.

Code that detects an event calls a method of `metrics.Metrics`, which is named for the event and takes plain values.
Nothing is decided here, and extdns reads no metric back. `table` lists all metrics; the reference page and the
dashboard are generated from it.

Only this package imports prometheus-client.
"""
