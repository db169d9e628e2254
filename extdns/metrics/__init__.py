"""What is counted, for those who chart it and are woken by it.

The names that the reference's users chart and alert on are kept to the letter (spec plan 1.8); what
the reference does not know has names of its own, which begin with `extdns_`.

Whoever decides something reports it to `metrics.Metrics`, whose methods are named for what happens
and take plain values. Nothing here decides, and no metric is read back by the application. The
table is the one list of metrics there is; the reference page is made from it.

Only this room imports prometheus-client.
"""
