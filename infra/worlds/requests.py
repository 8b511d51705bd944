"""requests/NN-*.json: what people ask for without a Stripe event."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictInt, model_validator

from infra.worlds.documents import json_document
from infra.worlds.folder import Folder
from infra.worlds.manifest import CurrencyCode, Moment
from infra.worlds.stripe_files import numbered_files
from infra.worlds.validation import Entry, validated


class PersonRequest(Entry):
    """A request by a person: its own subject, linked to what is known. `amount_minor`: minor units of `currency`."""

    id: str = Field(min_length=1)
    channel: str = Field(min_length=1)
    received_at: Moment
    sender: str = Field(alias="from", min_length=1)
    text: str = Field(min_length=1)
    customer: str | None = None
    charge: str | None = None
    invoice: str | None = None
    amount_minor: Annotated[StrictInt, Field(gt=0)] | None = None
    currency: CurrencyCode | None = None

    @model_validator(mode="after")
    def _amount_has_a_currency(self) -> PersonRequest:
        if (self.amount_minor is None) != (self.currency is None):
            raise ValueError("amount_minor and currency are given together or not at all")
        return self


def read_requests(folder: Folder) -> list[PersonRequest]:
    """The requests in file order. Raises InvalidInput for a fault in one of them, or an id used twice."""
    requests: list[PersonRequest] = []
    places: dict[str, Path] = {}
    for path in numbered_files(folder, "requests"):
        request = validated(folder, json_document(folder, path), PersonRequest)
        first = places.setdefault(request.id, path)
        if first != path:
            raise folder.fault(path, f"the request id {request.id!r} is already used by {first.name}")
        requests.append(request)
    return requests
