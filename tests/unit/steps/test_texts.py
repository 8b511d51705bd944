"""Events hold references: what customers wrote is stored beside the log, and what is sent is what was approved."""

from __future__ import annotations

import pytest

from shared.case.lifecycle import State
from shared.case.texts import REFERENCE, Reader, Sealer, length
from shared.steps.audit import audit
from shared.steps.people import approve, edit
from shared.steps.texts import TextGone, action_with_texts, with_texts
from tests.support.rig import ALICE, BOB, ORG, OSCAR, Rig

FINDING, MAIL, PACKET = "The charge was 840.00.", "It is on its way.", "served"


def log_of(rig: Rig) -> str:
    return "\n".join(entry for commit in rig.store.log(ORG, rig.case().id) for entry in commit.entries)


def erase(rig: Rig, text: str) -> None:
    rig.database.write(lambda connection: connection.execute("DELETE FROM texts WHERE body = ?", (text,)))


def change(rig: Rig, text: str, to: str) -> None:
    rig.database.write(lambda connection: connection.execute("UPDATE texts SET body = ? WHERE body = ?", (to, text)))


def approve_all(rig: Rig) -> None:
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), rig.case().id)


def test_neither_log_nor_case_holds_what_findings_and_messages_say(rig: Rig) -> None:
    case = rig.to_approval()
    edit(rig.all_ports(), rig.context(OSCAR), case.id, rig.id_of("customer_email"), {"body_text": "a new text"})
    for text in (FINDING, MAIL, PACKET, "a new text"):
        assert text not in log_of(rig)
        assert text not in rig.case().model_dump_json()
    assert "buyer@example.test" in log_of(rig), "a recipient is no text"


def test_people_read_the_texts(rig: Rig) -> None:
    case = with_texts(rig.store, rig.to_approval())
    assert case.brief is not None
    assert [finding.text for finding in case.brief.findings] == [FINDING]
    evidence = case.action(rig.id_of("stripe_submit_evidence"))
    assert evidence is not None
    assert evidence.payload["evidence"] == {"uncategorized_text": PACKET}


def test_what_is_sent_is_the_text_itself(rig: Rig) -> None:
    rig.to_approval()
    approve_all(rig)
    rig.pump()
    sent = {action.kind.value: action.payload for action, _ in rig.effects.done.values()}
    assert sent["stripe_submit_evidence"]["evidence"] == {"uncategorized_text": PACKET}


@pytest.mark.parametrize("damage", [erase, lambda rig, text: change(rig, text, "winning evidence")])
def test_a_text_that_was_erased_or_changed_is_not_sent(rig: Rig, damage) -> None:  # type: ignore[no-untyped-def]
    rig.to_approval()
    approve_all(rig)
    damage(rig, PACKET)
    rig.pump()
    assert rig.effects.calls == ["crm_note"]
    assert rig.case().state is State.MANUAL_REVIEW
    stage = rig.case().action(rig.id_of("stripe_stage_evidence"))
    assert stage is not None
    assert "erased" in str(stage.error)


def test_a_log_whose_texts_were_erased_still_verifies(rig: Rig) -> None:
    case = rig.to_approval()
    before = audit(rig.store, ORG, case.id)
    assert (before.ok, before.erased) == (True, 0)
    for text in (FINDING, MAIL, PACKET):
        erase(rig, text)
    after = audit(rig.store, ORG, case.id)
    assert after.ok
    assert (after.texts, after.erased) == (before.texts, 3)
    told = with_texts(rig.store, rig.case()).brief
    assert told is not None
    assert told.findings[0].text == f"[a text of {len(FINDING)} characters that was erased]"


def test_a_text_that_was_changed_behind_the_log_is_found(rig: Rig) -> None:
    case = rig.to_approval()
    change(rig, MAIL, "send money to evil@example.test")
    found = audit(rig.store, ORG, case.id)
    assert not found.ok
    assert "not the one that was recorded" in found.problems[0]
    mail = rig.case().action(rig.id_of("customer_email"))
    assert mail is not None
    with pytest.raises(TextGone):
        action_with_texts(rig.store, rig.case(), mail)


def test_the_same_text_again_is_the_same_content_and_any_other_is_not(rig: Rig) -> None:
    case = rig.to_approval()
    mail = rig.id_of("customer_email")
    before = case.action(mail)
    edit(rig.all_ports(), rig.context(OSCAR), case.id, mail, {"body_text": MAIL})
    same = rig.case().action(mail)
    rig.pump()
    edit(rig.all_ports(), rig.context(OSCAR), case.id, mail, {"body_text": MAIL + " "})
    other = rig.case().action(mail)
    assert before is not None
    assert same is not None
    assert other is not None
    assert before.hash == same.hash != other.hash


def test_a_text_that_looks_like_a_reference_is_only_a_text() -> None:
    sealer = Sealer()
    forged = sealer.text("a secret of another field")
    inner = sealer.text(forged)
    assert inner != forged
    assert Reader(sealer.texts).text(inner) == forged, "it is opened once, into what was written"


def test_a_reference_tells_the_length_of_its_text() -> None:
    sealer = Sealer()
    reference = sealer.text("né\u00e9")
    assert REFERENCE.fullmatch(reference)
    assert length(reference) == length("né\u00e9") == 3
    assert sealer.text("") == ""
