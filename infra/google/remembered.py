"""What is known of orgs, remembered for a minute, for functions that only describe with it.

A specialist needs an org's currency and time zone, the webhook the owner of an endpoint: neither changes by the second.
Whoever decides about money or people (policy check, act, approvals) reads the registry afresh instead.
"""

from __future__ import annotations

from typing import Final

from shared.ports import Clock, Directory, Org

KEPT_FOR_S: Final = 60.0


class RememberedDirectory:
    """A registry in front of another; implements shared.ports.directory.Directory. What is unknown is asked again."""

    def __init__(self, directory: Directory, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._orgs: dict[str, tuple[float, Org]] = {}
        self._owners: dict[tuple[str, str, str | None], tuple[float, str]] = {}

    def org(self, org_id: str) -> Org:
        """An org as it was at most a minute ago. Raises NotFound."""
        kept = self._orgs.get(org_id)
        if kept is None or self._is_old(kept[0]):
            kept = self._orgs[org_id] = (self._clock.monotonic(), self._directory.org(org_id))
        return kept[1]

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        """The org for (endpoint path, secret that verified, event.account), never from the payload. None: unknown."""
        key = (endpoint, secret_name, account)
        kept = self._owners.get(key)
        if kept is not None and not self._is_old(kept[0]):
            return kept[1]
        owner = self._directory.org_of_event(endpoint, secret_name, account)
        if owner is not None:
            self._owners[key] = (self._clock.monotonic(), owner)
        return owner

    def _is_old(self, since: float) -> bool:
        return self._clock.monotonic() - since >= KEPT_FOR_S
