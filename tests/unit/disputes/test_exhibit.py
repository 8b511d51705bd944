"""What the bank reads: the account in order, whole sentences, the printed exhibit beside it, and how complete it is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from infra.effects.exhibits import render
from shared.case.actions import ActionDraft, ActionKind, Json
from shared.case.document import Document, Section
from shared.errors import InvalidInput
from shared.playbooks.disputes.codes import lookup
from shared.playbooks.disputes.completeness import completeness
from shared.ports.exhibits import Rendered
from shared.team.contract import Draft, Material
from shared.team.words import quoted_whole
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK

TICKET = "zendesk.tickets"


def drafted(dossier: Dossier, draw: Callable[[Document], Rendered] | None = render) -> Draft:
    material = Material(dossier.case, dossier.org, 1, dossier.evidence, dossier.gaps, dossier.now, draw)
    return PLAYBOOK.synthesize(material)


def of_kind(draft: Draft, kind: ActionKind) -> ActionDraft:
    return next(action for action in draft.actions if action.kind is kind)


def files_of(draft: Draft) -> dict[str, dict[str, Json]]:
    files = of_kind(draft, ActionKind.STRIPE_STAGE_EVIDENCE).payload.get("files", {})
    assert isinstance(files, dict)
    assert files == of_kind(draft, ActionKind.STRIPE_SUBMIT_EVIDENCE).payload.get("files", {})
    return files  # type: ignore[return-value]


def document_of(draft: Draft) -> Document:
    (file,) = files_of(draft).values()
    return Document.model_validate_json(str(file["document"]))


def section(document: Document, heading: str) -> Section:
    return next(item for item in document.sections if item.heading.startswith(heading))


def notes_of(draft: Draft) -> str:
    assert draft.brief is not None
    return "\n".join(draft.brief.notes)


def statement_of(draft: Draft) -> str:
    evidence = of_kind(draft, ActionKind.STRIPE_STAGE_EVIDENCE).payload["evidence"]
    assert isinstance(evidence, dict)
    return str(evidence["uncategorized_text"])


def test_the_exhibit_is_drawn_measured_and_told_before_anything_is_staged(dossier: Dossier) -> None:
    draft = drafted(dossier)
    ((field, file),) = files_of(draft).items()
    drawn = render(document_of(draft))
    assert field == "service_documentation"
    assert (file["sha256"], file["bytes"]) == (hashlib.sha256(drawn.content).hexdigest(), len(drawn.content))
    assert file["pages"] == drawn.pages
    assert f"A printed exhibit goes with the evidence (service_documentation): {drawn.pages} pages." in notes_of(draft)


def test_the_same_evidence_gives_the_same_exhibit(dossier: Dossier) -> None:
    assert files_of(drafted(dossier)) == files_of(drafted(dossier))


def test_its_timeline_is_in_order_and_every_line_of_a_record_names_it(dossier: Dossier) -> None:
    document = document_of(drafted(dossier))
    lines = section(document, "What happened").lines
    assert [line.label[:10] for line in lines] == sorted(line.label[:10] for line in lines)
    assert lines[0].text == "Payment of 8,400.00 USD."
    charge = str(dossier.only("stripe.charges").record_id)
    assert [document.sources[number - 1] for number in lines[0].sources] == [f"Stripe, charges: {charge}"]
    numbers = {number for part in document.sections for item in (*part.lines, *part.quotes) for number in item.sources}
    assert numbers == set(range(1, len(document.sources) + 1))


def test_it_quotes_customers_whole_with_date_and_author(dossier: Dossier) -> None:
    said = "Custom Reports does not load.\n" + "We tried again and again. " * 200
    draft = drafted(dossier.changed(TICKET, description=said))
    quotes = section(document_of(draft), "In the customer's own words").quotes
    assert any(quote.text.endswith(said.strip()) and "@" in quote.label for quote in quotes)


def test_the_text_for_the_bank_cuts_no_sentence(dossier: Dossier) -> None:
    said = "Custom Reports does not load. " + "We tried again and again, at length, to no avail. " * 60
    statement = statement_of(drafted(dossier.changed(TICKET, subject="", description=said)))
    (line,) = [line for line in statement.splitlines() if "at length" in line]
    assert line.endswith('to no avail. […]"')
    endless = "Custom Reports does not load and " + "we tried again and " * 200
    statement = statement_of(drafted(dossier.changed(TICKET, subject="", description=endless)))
    assert "we tried again" not in statement
    assert "the customer wrote to us at length about it." in statement


@pytest.mark.parametrize(
    ("said", "limit", "quote"),
    [
        ("Short.", 10, '"Short."'),
        ('It "fails"\n again', 100, "\"It 'fails' again\""),
        ("One. Two is longer.", 10, '"One. […]"'),
        ("No end in sight here", 10, ""),
        ("  ", 10, ""),
    ],
)
def test_a_quote_is_whole_sentences_or_none(said: str, limit: int, quote: str) -> None:
    assert quoted_whole(said, limit) == quote


def test_text_that_does_not_fit_goes_to_a_person_with_the_reason_and_nothing_is_drafted(dossier: Dossier) -> None:
    draft = drafted(dossier.changed("stripe.customers", name="x" * 5_001))
    assert draft.brief is not None
    assert draft.brief.decision.kind.value == "escalate"
    assert "customer_name has 5,001 characters, Stripe takes 5,000" in draft.brief.decision.rationale
    assert not [action for action in draft.actions if action.kind is ActionKind.STRIPE_STAGE_EVIDENCE]


@pytest.mark.parametrize(
    ("brand", "code", "pages", "size", "fits"),
    [
        ("visa", "13.3", 49, 4_718_592, True),
        ("visa", "13.3", 50, 1, False),
        ("visa", "13.3", 1, 4_718_593, False),
        ("mastercard", "4853", 19, 1, True),
        ("mastercard", "4853", 20, 1, False),
    ],
)
def test_an_exhibit_that_does_not_fit_is_left_out_and_says_so(
    dossier: Dossier, brand: str, code: str, pages: int, size: int, fits: bool
) -> None:
    columns = {
        "payment_method_details__card__brand": brand,
        "payment_method_details__card__network_reason_code": code,
    }
    facts: dict[str, Json] = {"dispute.brand": brand, "dispute.network_reason_code": code}
    of_network = dossier.changed("stripe.disputes", **columns).with_facts(facts)
    draft = drafted(of_network, lambda document: Rendered(b"x" * size, pages, "0" * 64))
    assert bool(files_of(draft)) is fits
    assert ("No printed exhibit goes with the evidence: the files have" in notes_of(draft)) is not fits


def test_an_exhibit_that_cannot_be_drawn_is_left_out_and_says_so(dossier: Dossier) -> None:
    def fails(document: Document) -> Rendered:
        raise InvalidInput("no printer")

    draft = drafted(dossier, fails)
    assert files_of(draft) == {}
    assert "No printed exhibit goes with the evidence: no printer. The text stands by itself." in notes_of(draft)


def test_letters_that_the_font_lacks_are_said_to_be_replaced(dossier: Dossier) -> None:
    draft = drafted(dossier.changed("stripe.customers", name="株式会社"))
    assert "4 characters that its font lacks are shown by their numbers" in notes_of(draft)


def test_without_a_renderer_the_evidence_is_text(dossier: Dossier) -> None:
    draft = drafted(dossier, None)
    assert files_of(draft) == {}
    assert "printed exhibit" not in notes_of(draft)


def test_against_fraud_the_exhibit_tells_of_the_payments_of_the_same_card(
    investigated: Callable[..., Dossier],
) -> None:
    document = document_of(drafted(investigated("saffron", 1)))
    lines = section(document, "What happened").lines
    assert len(lines) == 3
    assert all(line.sources for line in lines)
    assert "The same card paid before" in section(document, "In short").paragraphs[0]


def test_what_is_filled_of_what_decides_the_code_is_said_and_why_not_all(dossier: Dossier) -> None:
    told = notes_of(drafted(dossier))
    assert (
        "Evidence for visa-13.3: 4 of 5 decisive fields are filled; missing: refund_policy_disclosure (no terms" in told
    )


def test_completeness_counts_files_and_what_stripes_own_block_says() -> None:
    rule = lookup("visa", "10.4", "fraudulent")
    block = {"visa_compelling_evidence_3": {"disputed_transaction": {"customer_purchase_ip": "192.0.2.1"}}}
    evidence: dict[str, Json] = {"customer_name": "Acme", "customer_email_address": "", "enhanced_evidence": block}  # type: ignore[dict-item]
    found = completeness(rule, {"evidence": evidence, "files": {"receipt": {"bytes": 1}}})
    assert set(found.missing) == {"access_activity_log", "customer_email_address"}
    assert found.filled >= {"customer_name", "receipt", "customer_purchase_ip"}
    assert "2 of 4 decisive fields are filled" in found.in_words(rule)
    assert completeness(rule, {}).filled == frozenset()


def test_a_code_that_no_field_decides_says_so_and_a_full_packet_lacks_nothing() -> None:
    compliance = lookup("visa", None, "noncompliant")
    assert "no field decides claims of this code" in completeness(compliance, {}).in_words(compliance)
    rule = lookup("visa", "13.3", "product_unacceptable")
    full = completeness(rule, {"evidence": dict.fromkeys(rule.evidence_fields, "said")})
    assert full.in_words(rule) == "Evidence for visa-13.3: 5 of 5 decisive fields are filled."
