"""The registry of orgs on Firestore, and which org an event belongs to: shared.ports.directory.Directory."""

from __future__ import annotations

from infra.google.documents import Documents
from infra.google.faults import Stale
from infra.google.layout import endpoint_path, org_path
from infra.google.texts import restored, stored
from shared.errors import Conflict, NotFound
from shared.ports.directory import Org


class FirestoreDirectory:
    """The registry on Firestore."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def put_org(self, org: Org) -> None:
        """Register an org, or replace what is known of it."""
        batch = self._documents.batch()
        batch.put(org_path(org.id), {"body": stored(org.model_dump_json(), f"org {org.id}")})
        self._documents.commit(batch)

    def org(self, org_id: str) -> Org:
        """An org by id. Raises NotFound."""
        found = self._documents.get(org_path(org_id))
        if found is None:
            raise NotFound(f"no org {org_id} is registered")
        return Org.model_validate_json(restored(found.fields["body"]))

    def register_endpoint(self, endpoint: str, secret_name: str, account: str | None, org: str) -> None:
        """Say that events at this endpoint, verified by this secret, of this account, belong to this org.

        Saying the same again changes nothing. Raises NotFound for an unknown org, and Conflict when they belong to
        another one: an event must never change its owner silently.
        """
        self.org(org)
        batch = self._documents.batch()
        fields = {"endpoint": endpoint, "secret_name": secret_name, "account": account, "org": org}
        batch.create(endpoint_path(endpoint, secret_name, account), fields)
        try:
            self._documents.commit(batch)
        except Stale:
            if self.org_of_event(endpoint, secret_name, account) != org:
                whose = f"events of {account or 'the platform account'} at {endpoint}"
                raise Conflict(f"{whose} belong to another org") from None

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        """The org for (endpoint path, secret that verified, event.account), never from the payload. None: unknown."""
        found = self._documents.get(endpoint_path(endpoint, secret_name, account))
        if found is None:
            return None
        org: str = found.fields["org"]
        return org
