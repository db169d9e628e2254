"""Cloudflare (API version 4): one transactional batch a change, with an API token.

A record set is several records of Cloudflare, one for each value, with an id each. A change deletes, patches and posts
values by these ids in one batch, so a record and its ownership record change together. The API has no conditions, so
names are read before they are written. TXT values are never patched but deleted and posted: each of our changes thus
gives the ownership record a new id, and a batch that was built on older ids fails as a whole.

    client    HTTP: credentials, rate limit, pages, errors     entries   values of the API, records
    adjust    what Cloudflare can hold                         provider  read and write zones, permissions
    hostnames regions and custom hostnames of names
"""
