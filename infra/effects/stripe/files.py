"""The files of an evidence packet: drawn again from what was approved, compared with its digest, and uploaded.

An upload that nothing refers to has no effect, so one whose outcome is unknown is made again in the next attempt, under
another key: the first one would go on answering with its failure.
Which file stands in which field, and what it holds, is noted in the dispute's metadata: Stripe tells no digest of one.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from infra.effects.exhibits import render
from infra.effects.stripe.payload import inside, text
from shared.case.actions import Action
from shared.case.document import Document
from shared.case.texts import DOCUMENT, FILES
from shared.errors import InvalidInput
from shared.ports.effects import EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

if TYPE_CHECKING:
    from stripe.params import FileCreateParams

    from infra.effects.stripe.client import Calls, Object

STAGED_FILES = "manthan_files"
PURPOSE = "dispute_evidence"


def approved(action: Action) -> dict[str, str]:
    """The digests of the approved files by field. Raises EffectRefused for a file that does not say one."""
    digests = {name: text(inside(files, name), "sha256") for files in [inside(action.payload, FILES)] for name in files}
    unknown = sorted(name for name, digest in digests.items() if not digest)
    if unknown:
        raise EffectRefused(f"{action.id} names no digest of {', '.join(unknown)}; nothing was sent to Stripe")
    return digests


def upload(calls: Calls, action: Action, context: EffectContext) -> dict[str, str]:
    """Uploads the approved files; their ids at Stripe by field.

    Raises EffectRefused for a file that is not drawn as it was approved, EffectUnavailable when an upload may have
    failed: nothing refers to it yet.
    """
    contents = {name: _drawn(action, name, digest) for name, digest in approved(action).items()}
    return {name: _upload(calls, name, content, context) for name, content in contents.items()}


def noted(files: Mapping[str, str], digests: Mapping[str, str]) -> str:
    """What the dispute's metadata says of its files; empty where there are none, which removes an earlier note."""
    return " ".join(f"{name}={id}:{digests[name]}" for name, id in sorted(files.items()))


def staged(dispute: Object, digests: Mapping[str, str]) -> dict[str, str]:
    """The ids of the approved files as the dispute's metadata notes them; one that holds something else is left out."""
    found: dict[str, str] = {}
    for entry in text(inside(dispute, "metadata"), STAGED_FILES).split():
        name, _, rest = entry.partition("=")
        id, _, digest = rest.partition(":")
        if digests.get(name) == digest:
            found[name] = id
    return found


def _drawn(action: Action, name: str, digest: str) -> bytes:
    described = inside(inside(action.payload, FILES), name)
    try:
        drawn = render(Document.model_validate_json(text(described, DOCUMENT)))
    except (ValidationError, InvalidInput):
        raise EffectRefused(f"the {name} of {action.id} cannot be drawn; nothing was sent to Stripe") from None
    if drawn.sha256 != digest:
        raise EffectRefused(
            f"the {name} of {action.id} is drawn otherwise than it was approved (another release of ours, or of its "
            "library); nothing was sent to Stripe: draft it again"
        )
    return drawn.content


def _upload(calls: Calls, name: str, content: bytes, context: EffectContext) -> str:
    file = io.BytesIO(content)
    file.name = f"{name}.pdf"
    params = cast("FileCreateParams", {"purpose": PURPOSE, "file": file})
    key = f"{context.idempotency_key}-{name}-{context.attempt}"
    try:
        reply = calls.write(lambda client, options: client.v1.files.create(params, options), key)
    except EffectUnknown as error:
        raise EffectUnavailable(f"the {name} may not have been uploaded: {error}", after=2.0) from error
    return text(reply.object, "id")
