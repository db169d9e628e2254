"""DNS services: one module or package each, thin.

A provider lists zones, reads pages and names, adapts endpoints to what its service can hold, and
submits one batch once. Outcomes are values; retries, back-off, quarantine and dry runs are the
engine's business. What a service can and cannot do is stated in its traits.

A provider knows values (`extdns.model`), ports and errors, never sources, marks or another
provider. An SDK is imported by one file only, and its classes and exceptions do not leave it.

Always `from providers.x import ...`: the name `providers` alone would be shadowed by a variable.
"""
