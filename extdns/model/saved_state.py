"""The saved state: delete budgets, holds, approvals, accepted settings and the cluster (docs/design/state.md)."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.model.cluster import ClusterIdentity
from extdns.model.value import Value


class Approval(Value, frozen=True, kw_only=True):
    """One approval that a person gave.

    Attributes:
        code: the code of held deletes, or the id of a cluster; "" for a plan that a person applied.
        claimed_user: the user who claims to have approved it; "" if nobody does. Nothing proves it.
    """

    code: str
    claimed_user: str = ""


class SavedHolds(Value, frozen=True, kw_only=True):
    """Deletes that one scope has held since the same time, for the same cause.

    Attributes:
        since_s: when the hold began.
        by_budget: whether a budget holds them; if not, their evidence is insufficient.
        by_absence: whether their evidence is by absence.
        digests: the digests of the records with their ownership records, sorted.
        records: the ids of the records, in the order of *digests*. An edit of a record changes its digest, not its id.
    """

    since_s: float
    by_budget: bool = True
    by_absence: bool = False
    digests: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


class SavedGrant(Value, frozen=True, kw_only=True):
    """A delete that was granted and may have been made.

    Attributes:
        digest: the digest of the record with its ownership records. If the record still exists, it was not deleted.
    """

    digest: str
    resource: str
    at_s: float
    by_absence: bool = False


class SavedScope(Value, frozen=True, kw_only=True):
    """The state of one scope of the delete budget. Times are seconds of the clock of the `Saved` that holds it.

    Attributes:
        made: names with deletes of the last ten minutes, oldest first: when, whether by absence, how many.
        most: the largest numbers of names with records of ours in the last ten minutes, oldest first: until when there
            were so many, and how many.
        code: the code that approves the held deletes, "" if there are none.
        holds: the held deletes, oldest first.
        shown: sets of held deletes that a person may still approve, oldest first: code and digests. The set of *code*
            is left out if its digests are those of `digests`.
        records: the first held records, for people: zone, name, type, set identifier, evidence.
    """

    made: tuple[tuple[float, bool, int], ...] = ()
    most: tuple[tuple[float, int], ...] = ()
    code: str = ""
    holds: tuple[SavedHolds, ...] = ()
    shown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    records: tuple[tuple[str, str, str, str, str], ...] = ()

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of all held deletes, sorted."""
        return tuple(sorted(digest for one in self.holds for digest in one.digests))

    def shift(self, by_s: float, latest_s: float) -> SavedScope:
        """Return a copy with *by_s* seconds added to every time. Times after *latest_s* become *latest_s*."""
        return replace(
            self,
            made=tuple((min(at_s + by_s, latest_s), by_absence, count) for at_s, by_absence, count in self.made),
            most=tuple((min(until_s + by_s, latest_s), names) for until_s, names in self.most),
            holds=tuple(replace(one, since_s=min(one.since_s + by_s, latest_s)) for one in self.holds),
        )


class SavedZone(Value, frozen=True, kw_only=True):
    """The saved state of one zone.

    Attributes:
        name: the name of the zone, for people.
        fingerprint: the settings digest that was accepted for the zone, "" if none was.
        whole: the delete budget of the zone, for the records of all namespaces together.
        namespaces: the delete budget of each namespace in the zone, sorted by namespace.
        granted: deletes that were granted and may have been made when the state was saved, sorted by digest.
        merged: the ids of the records that external-dns merged from several namespaces, sorted; None if not all names
            of the zone were planned yet.
    """

    name: str = ""
    fingerprint: str = ""
    whole: SavedScope = SavedScope()
    namespaces: tuple[tuple[str, SavedScope], ...] = ()
    granted: tuple[SavedGrant, ...] = ()
    merged: tuple[str, ...] | None = None

    @property
    def scopes(self) -> tuple[tuple[str, SavedScope], ...]:
        """The scope of the whole zone, under namespace "", and the scope of each namespace in it."""
        return (("", self.whole), *self.namespaces)

    def shift(self, by_s: float, latest_s: float) -> SavedZone:
        """Return a copy with all times shifted, as `SavedScope.shift` does."""
        return replace(
            self,
            whole=self.whole.shift(by_s, latest_s),
            namespaces=tuple((namespace, scope.shift(by_s, latest_s)) for namespace, scope in self.namespaces),
            granted=tuple(replace(one, at_s=min(one.at_s + by_s, latest_s)) for one in self.granted),
        )


class Saved(Value, frozen=True, kw_only=True):
    """The saved state of one owner id.

    Attributes:
        zones: sorted by the id of the zone.
        all_zones: the scope of all zones together.
        cluster: the cluster that the saved state belongs to.
        approved: approved deletes: the digest, and when the approval ends.
        approved_by: who approved the deletes in *approved*: digest, code and claimed user.
        approvals: what a person approved and no process has applied yet.
        other_cluster: the id of the cluster that the objects come from, if it is not *cluster*; else "".
        is_new: whether there was no saved state: at a first start, or after it was lost.
        load_error: why the saved state cannot be used; "" if it can, or if there was none.
    """

    zones: tuple[tuple[str, SavedZone], ...] = ()
    all_zones: SavedScope = SavedScope()
    cluster: ClusterIdentity = ClusterIdentity()
    approved: tuple[tuple[str, float], ...] = ()
    approved_by: tuple[tuple[str, str, str], ...] = ()
    approvals: tuple[Approval, ...] = ()
    other_cluster: str = ""
    is_new: bool = False
    load_error: str = ""

    def find_zone(self, zone_id: str) -> SavedZone:
        """Return the state of a zone; an empty state if there is none."""
        return next((zone for id_, zone in self.zones if id_ == zone_id), SavedZone())

    def shift(self, by_s: float, latest_s: float) -> Saved:
        """Return a copy with *by_s* seconds added to every time. Only ends of approvals may be after *latest_s*.

        Other times after *latest_s* become *latest_s*.
        """
        return replace(
            self,
            zones=tuple((id_, zone.shift(by_s, latest_s)) for id_, zone in self.zones),
            all_zones=self.all_zones.shift(by_s, latest_s),
            approved=tuple((digest, until_s + by_s) for digest, until_s in self.approved),
        )
