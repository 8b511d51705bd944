from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from infra.effects import OutboxEffects
from shared.case.actions import ActionKind
from shared.errors import InvalidInput
from shared.ports.effects import EffectRefused, EffectUnavailable, EffectUnknown

from .actions import action, context, email

AT = datetime(2026, 9, 1, 8, 30, tzinfo=UTC)
PAYLOADS: dict[ActionKind, dict[str, Any]] = {
    ActionKind.CUSTOMER_EMAIL: {"to": "jane@example.com", "subject": "Hello", "body_text": "Text."},
    ActionKind.CRM_NOTE: {"company_id": "comp_1", "body": "Text."},
    ActionKind.SLACK_BRIEF: {"channel": "#billing", "text": "Text."},
    ActionKind.TICKET: {"title": "Hello", "body": "Text."},
    ActionKind.DECISION_LOG: {"title": "Hello", "body": "Text."},
}


@pytest.fixture
def outbox(tmp_path: Path) -> OutboxEffects:
    return OutboxEffects(tmp_path / "outbox", sender="billing@acme.example", now=lambda: AT)


def only_file(folder: Path) -> Path:
    (path,) = (folder / "outbox").iterdir()
    return path


def body_of(message: EmailMessage) -> str:
    return str(message.get_content()).replace("\r\n", "\n")


def only_mail(folder: Path) -> EmailMessage:
    return message_from_bytes(only_file(folder).read_bytes(), policy=default)


def test_an_email_is_a_file_that_mail_programs_read(tmp_path: Path, outbox: OutboxEffects) -> None:
    body = "Grüße,\n\nyour refund of 20.00 € is on its way.\n" + "long " * 400
    mail = email(subject="Ihre Rückerstattung für März " + "x" * 90, body_text=body)
    done = outbox.perform(mail, context(mail))
    assert done.external_ref == f"outbox:manthan-{mail.id}.eml"
    assert "nothing was sent" in done.summary
    message = only_mail(tmp_path)
    assert [address.addr_spec for address in message["To"].addresses] == ["jane@example.com"]
    assert message["From"] == "billing@acme.example"
    assert message["Subject"] == "Ihre Rückerstattung für März " + "x" * 90
    assert message["Date"].datetime == AT
    assert message["Message-ID"] == f"<manthan-{mail.id}@manthan.invalid>"
    assert body_of(message) == body + "\n"
    assert max(map(len, only_file(tmp_path).read_bytes().splitlines())) <= 998


@pytest.mark.parametrize(
    "to",
    [
        "jane@example.com\r\nBcc: thief@evil.example",
        "jane@example.com, thief@evil.example",
        "Jane <jane@example.com>",
        "jane@example.com thief@evil.example",
        "jane",
        "jörg@example.com",
        "@example.com",
        " jane@example.com",
        "jane@example.com;thief@evil.example",
        ["jane@example.com", "thief@evil.example"],
        "",
        None,
    ],
)
def test_the_recipient_is_one_address_or_nothing_is_written(to: Any, tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email(to=to)
    with pytest.raises(EffectRefused, match="nothing was written"):
        outbox.perform(mail, context(mail))
    assert list((tmp_path / "outbox").iterdir()) == []


@pytest.mark.parametrize("separator", ["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x00", "\x1b"])
@pytest.mark.parametrize("field", ["subject", "to"])
def test_no_header_can_be_smuggled_in(field: str, separator: str, tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email(**{field: f"jane@example.com{separator}Bcc: thief@evil.example"})
    with pytest.raises(EffectRefused, match="line break or control character"):
        outbox.perform(mail, context(mail))
    assert list((tmp_path / "outbox").iterdir()) == []


def test_a_body_that_looks_like_headers_stays_a_body(tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email(body_text="\r\nBcc: thief@evil.example\r\n\r\n.\r\nFrom nobody\r\n")
    outbox.perform(mail, context(mail))
    message = only_mail(tmp_path)
    assert message["Bcc"] is None
    assert "Bcc: thief@evil.example" in message.get_content()


def test_a_domain_beyond_ascii_is_kept(outbox: OutboxEffects) -> None:
    mail = email(to="joerg@müller.example")
    outbox.perform(mail, context(mail))
    assert outbox.read()[0].to == "joerg@müller.example"


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, fields in PAYLOADS.items() for name in fields])
@pytest.mark.parametrize("value", [None, "", " \n", 7, "half a \ud83d pair"])
def test_what_lacks_a_field_is_refused(
    kind: ActionKind, name: str, value: Any, tmp_path: Path, outbox: OutboxEffects
) -> None:
    wanted = action(kind, {**PAYLOADS[kind], name: value})
    with pytest.raises(EffectRefused, match=name):
        outbox.perform(wanted, context(wanted))
    assert list((tmp_path / "outbox").iterdir()) == []


def test_a_payload_that_is_no_text_anywhere_is_refused(tmp_path: Path, outbox: OutboxEffects) -> None:
    note = action(ActionKind.CRM_NOTE, {**PAYLOADS[ActionKind.CRM_NOTE], "more": ["\ud83d"]})
    with pytest.raises(EffectRefused, match="not valid text"):
        outbox.perform(note, context(note))
    assert list((tmp_path / "outbox").iterdir()) == []


def test_a_slack_brief_is_its_channel_and_its_text(tmp_path: Path, outbox: OutboxEffects) -> None:
    brief = action(ActionKind.SLACK_BRIEF, {"channel": "#billing", "text": "Won: 84.00 €"})
    outbox.perform(brief, context(brief))
    written = json.loads(only_file(tmp_path).read_bytes())
    origin = {"kind": "slack_brief", "org": "acme", "case": "case_1", "action": brief.id}
    assert written == {"channel": "#billing", "text": "Won: 84.00 €", "manthan": origin}


@pytest.mark.parametrize("kind", PAYLOADS)
def test_what_is_there_can_be_read_by_people(kind: ActionKind, tmp_path: Path, outbox: OutboxEffects) -> None:
    wanted = action(kind, PAYLOADS[kind])
    outbox.perform(wanted, context(wanted))
    (item,) = outbox.read()
    recipient = {ActionKind.CUSTOMER_EMAIL: "jane@example.com", ActionKind.CRM_NOTE: "comp_1"}
    assert item.to == {**recipient, ActionKind.SLACK_BRIEF: "#billing"}.get(kind, "")
    assert item.subject == PAYLOADS[kind].get("subject", PAYLOADS[kind].get("title", ""))
    assert (item.kind, item.text, item.path) == (kind, "Text.", only_file(tmp_path))
    assert (item.org, item.case_id) == ("acme", "case_1")


def test_control_characters_are_taken_out_for_display_only(tmp_path: Path, outbox: OutboxEffects) -> None:
    body = "red \x1b[31m\u202eno\x00\x9b\ttab\nline"
    mail, brief = email(body_text=body), action(ActionKind.SLACK_BRIEF, {"channel": "#billing", "text": body})
    outbox.perform(mail, context(mail))
    assert body_of(only_mail(tmp_path)) == body + "\n"
    outbox.perform(brief, context(brief))
    assert [item.text for item in outbox.read()] == ["red �[31m�no��\ttab\nline"] * 2


def test_items_are_listed_oldest_first_and_by_org(tmp_path: Path, outbox: OutboxEffects) -> None:
    mails = [email(subject=f"Mail {number}") for number in range(3)]
    for number, mail in enumerate(mails):
        outbox.perform(mail, context(mail, org="acme" if number else "globex"))
        os.utime(tmp_path / "outbox" / f"manthan-{mail.id}.eml", (100 - number, 100 - number))
    assert [item.subject for item in outbox.read()] == ["Mail 2", "Mail 1", "Mail 0"]
    assert [item.subject for item in outbox.read("acme")] == ["Mail 2", "Mail 1"]


def test_a_file_that_is_no_message_of_ours_is_named(tmp_path: Path, outbox: OutboxEffects) -> None:
    (tmp_path / "outbox" / "notes.txt").write_text("somebody's notes")
    assert outbox.read() == []
    (tmp_path / "outbox" / "other.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"other\.json"):
        outbox.read()


def test_what_was_written_first_stays(tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email()
    first = outbox.perform(mail, context(mail))
    written = only_file(tmp_path).read_bytes()
    again = mail.model_copy(update={"payload": {**mail.payload, "subject": "Another"}})
    assert outbox.perform(again, context(again)) == first
    assert only_file(tmp_path).read_bytes() == written


def test_many_at_once_write_one_file(tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email()
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: outbox.perform(mail, context(mail)), range(32)))
    assert len(set(done)) == 1
    assert only_file(tmp_path).name == f"manthan-{mail.id}.eml"


def test_only_the_owner_can_read_it(tmp_path: Path, outbox: OutboxEffects) -> None:
    mail = email()
    outbox.perform(mail, context(mail))
    assert stat.S_IMODE(only_file(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "outbox").stat().st_mode) == 0o700


@pytest.mark.parametrize("key", ["../../evil", "a/b", "..", ".hidden", "", "x" * 300, "nul\x00", "con:aux"])
def test_a_key_never_leads_out_of_the_folder(key: str, tmp_path: Path, outbox: OutboxEffects) -> None:
    note = action(ActionKind.CRM_NOTE, PAYLOADS[ActionKind.CRM_NOTE])
    outbox.perform(note, context(note, idempotency_key=key))
    assert only_file(tmp_path).parent == tmp_path / "outbox"
    assert outbox.look_up(note, context(note, idempotency_key=key)) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["outbox"]


def test_it_is_on_disk_before_it_is_done(
    tmp_path: Path, outbox: OutboxEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    mail = email()
    outbox.perform(mail, context(mail))
    assert synced == ["file", "folder"]


def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, outbox: OutboxEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    mail = email()
    with pytest.raises(EffectUnavailable, match="No space left"):
        outbox.perform(mail, context(mail))
    assert list((tmp_path / "outbox").iterdir()) == []


def test_a_file_that_may_not_outlive_a_power_cut_is_unknown(
    tmp_path: Path, outbox: OutboxEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fails_for_folders(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(5, "Input/output error")
        real(handle)

    monkeypatch.setattr(os, "fsync", fails_for_folders)
    mail = email()
    with pytest.raises(EffectUnknown, match="may not be on disk yet"):
        outbox.perform(mail, context(mail))
    assert outbox.look_up(mail, context(mail)) is not None


def test_stripe_is_not_for_the_outbox(tmp_path: Path, outbox: OutboxEffects) -> None:
    refund = action(ActionKind.STRIPE_REFUND, {"charge": "ch_1"}, amount_minor=1, currency="usd")
    with pytest.raises(EffectRefused, match="not for the outbox"):
        outbox.perform(refund, context(refund))
    assert list((tmp_path / "outbox").iterdir()) == []
