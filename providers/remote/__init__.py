"""What services that are called over HTTP have in common; no provider itself, and it knows none.

    failure    how calls end badly, sorted by what the caller does about it
    allowance  how many calls may be made, and how fast
    names      domain names as they come back
    trust      the certificates that vouch for a service
    writing    how long a write may take, and whether one may begin

What belongs here is the same for every such service and speaks of none of them.
"""
