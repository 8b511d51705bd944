"""What an action becomes in the outbox: an e-mail as RFC 5322 has it, anything else as JSON."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8

from shared.case.actions import Action, ActionKind
from shared.ports.effects import EffectContext, EffectRefused

REQUIRED: Mapping[ActionKind, tuple[str, ...]] = {
    ActionKind.CUSTOMER_EMAIL: ("to", "subject", "body_text"),
    ActionKind.CRM_NOTE: ("company_id", "body"),
    ActionKind.SLACK_BRIEF: ("channel", "text"),
    ActionKind.TICKET: ("title", "body"),
    ActionKind.DECISION_LOG: ("title", "body"),
}
"""What each kind cannot do without; all of it text."""

_BREAKS_A_LINE = frozenset({"Cc", "Zl", "Zp", "Cs"})


def encoded(action: Action, context: EffectContext, *, sender: str, at: datetime) -> bytes:
    """The content of the action's file. Raises EffectRefused when the payload cannot make one."""
    fields = _required(action)
    if action.kind is ActionKind.CUSTOMER_EMAIL:
        return _email(action, context, fields, sender=sender, at=at)
    return _document(action, context)


def _required(action: Action) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name in REQUIRED[action.kind]:
        value = action.payload.get(name)
        if not isinstance(value, str) or not value.strip():
            raise EffectRefused(f"{action.id} names no {name}; nothing was written")
        if any(unicodedata.category(character) == "Cs" for character in value):
            raise EffectRefused(f"the {name} of {action.id} is not valid text; nothing was written")
        fields[name] = value
    return fields


def _email(action: Action, context: EffectContext, fields: Mapping[str, str], *, sender: str, at: datetime) -> bytes:
    recipient = _address(action, fields["to"])
    message = EmailMessage(policy=SMTP if fields["to"].isascii() else SMTPUTF8)
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = _one_line(action, "subject", fields["subject"].strip())
    message["Date"] = at
    message["Message-ID"] = f"<{_one_line(action, 'key', context.idempotency_key)}@manthan.invalid>"
    for name, value in _origin(action, context).items():
        message[f"X-Manthan-{name.title()}"] = _one_line(action, name, value)
    message.set_content(fields["body_text"])
    return message.as_bytes()


def _address(action: Action, to: str) -> Address:
    """Exactly one recipient, as an address without a display name and with a local part in ASCII."""
    try:
        address = Address(addr_spec=_one_line(action, "recipient", to))
    except (HeaderParseError, ValueError, IndexError):
        address = Address()
    if not address.username or not address.domain or address.addr_spec != to:
        raise EffectRefused(f"the recipient of {action.id} is not one e-mail address; nothing was written")
    return address


def _one_line(action: Action, name: str, value: str) -> str:
    if any(unicodedata.category(character) in _BREAKS_A_LINE for character in value):
        raise EffectRefused(
            f"the {name} of {action.id} contains a line break or control character; nothing was written"
        )
    return value


def _document(action: Action, context: EffectContext) -> bytes:
    content = {**action.payload, "manthan": _origin(action, context)}
    try:
        return json.dumps(content, ensure_ascii=False, indent=2).encode()
    except UnicodeEncodeError:
        raise EffectRefused(f"the payload of {action.id} is not valid text; nothing was written") from None


def _origin(action: Action, context: EffectContext) -> dict[str, str]:
    return {"kind": action.kind.value, "org": context.org, "case": context.case_id, "action": action.id}
