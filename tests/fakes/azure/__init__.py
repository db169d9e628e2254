"""A fake of Azure DNS and Azure Private DNS, as strict as their REST APIs: names, values, limits, etags, pages, locks.

server  the fake: zones, record sets and the identity endpoint, over HTTP
values  which record sets Azure accepts, and how it returns them
"""
