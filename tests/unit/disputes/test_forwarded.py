"""A mail that a message carries: who wrote it, when, and what it says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.team.forwarded import shared_mail

BODY = "Hello,\n\nplease cancel our plan."


@pytest.mark.parametrize(
    ("text", "sent_at"),
    [
        (f"fyi\nFrom: Ana <Ana@Acme.example>\nDate: Tue, 24 Feb 2026 09:12:00 +0100\nSubject: x\n\n{BODY}", True),
        (f"From: ana@acme.example\nSent: 2026-02-24T08:12:00Z\n{BODY}", True),
        (f"From: ana@acme.example\nDate: Tuesday\n\n{BODY}", False),
        (f"From: ana@acme.example\nDate: Tue, 24 Feb 2026 09:12:00 -0000\n\n{BODY}", False),
        ("look:\nOn 24 Feb 2026, Ana <ana@acme.example> wrote:\n> Hello,\n>\n> please cancel our plan.", False),
    ],
)
def test_a_mail_is_known_by_the_address_of_who_wrote_it(text: str, sent_at: bool) -> None:
    mail = shared_mail(text)
    assert mail is not None
    assert mail.author == "ana@acme.example"
    assert mail.words == BODY
    assert mail.sent_at == (datetime(2026, 2, 24, 8, 12, tzinfo=UTC) if sent_at else None)


@pytest.mark.parametrize(
    "text", ["", "Ana wants to cancel", "From: Ana\n\nplease cancel", "mail ana@acme.example today"]
)
def test_a_message_without_a_mail_carries_none(text: str) -> None:
    assert shared_mail(text) is None
