"""The shipped world, end to end: five specialists over the real engine, then the synthesizer."""

from __future__ import annotations

from infra.worlds.expectations import load_expectations
from infra.worlds.loader import find_world
from shared.case.actions import Action, ActionDraft, ActionKind, DependencyKind
from shared.case.brief import DecisionKind
from shared.case.derivation import evaluate, verify
from shared.case.evidence import EvidenceKind
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK

CONVERSATIONS = ("zendesk.ticket_comments", "intercom.conversation_parts")


def cited(dossier: Dossier) -> set[str]:
    brief = dossier.brief()
    rows = {item.index: item.row for item in dossier.evidence}
    return {f"{rows[index].table}:{rows[index].record_id}" for finding in brief.findings for index in finding.citations}


def by_kind(dossier: Dossier) -> dict[ActionKind, ActionDraft]:
    return {action.kind: action for action in dossier.draft().actions}


def test_the_decision_is_the_expected_one_to_the_cent(dossier: Dossier) -> None:
    (expected,) = load_expectations(find_world("aperture"))
    decision = dossier.brief().decision
    assert decision.kind in expected.decisions
    assert (decision.amount_minor, decision.currency) == (expected.amount_minor, expected.currency)
    assert decision.confidence_pct >= 90
    assert dossier.gaps == ()


def test_every_required_record_is_cited_and_nothing_forbidden_is_drafted(dossier: Dossier) -> None:
    (expected,) = load_expectations(find_world("aperture"))
    found = cited(dossier)
    assert set(expected.cites) <= found
    assert all(found & set(group) for group in expected.cites_any)
    drafted = by_kind(dossier)
    assert set(expected.verdicts) == set(drafted)
    assert all(kind in drafted for kind in expected.requires[DecisionKind.CREDIT])
    for forbidden in expected.forbids:
        assert (
            forbidden.action is None
            or forbidden.action not in drafted
            or (drafted[forbidden.action].amount_minor != forbidden.amount_minor)
        )


def test_every_citation_exists_and_the_derivation_recomputes_from_cited_fields(dossier: Dossier) -> None:
    brief = dossier.brief()
    rows = {item.index: item for item in dossier.evidence}
    assert len(brief.findings) >= 12
    assert all(index in rows for finding in brief.findings for index in finding.citations)
    derivation = brief.decision.derivation
    assert derivation is not None
    verify(derivation, rows.get)
    assert evaluate(derivation) == derivation.value_minor
    assert derivation.words == "2 of 30 days of 8,400.00 = 560.00 USD"


def test_the_findings_name_what_an_approver_has_to_know(dossier: Dossier) -> None:
    told = "\n".join(finding.text for finding in dossier.brief().findings)
    for phrase in (
        "Custom Reports",
        "custom-reports-svc error rate (premium)",
        "48 h (2 days)",
        "2 of 30 days of 8,400.00 = 560.00",
        "Prorated credit for a documented incident",
        "12 on 2026-04-12, 13 on 2026-04-13, 11 on 2026-04-14, 11 on 2026-04-15",
        "we will issue a partial credit",
        "keeps timing out",
        "nothing of it was ever returned",
        "disputed no other charge",
        "moved to another plan on 2026-04-16 04:32 UTC, after the incident",
        "courtesy",
        "visa 13.3",
        "the incident tool and the pager hold none",
        "superseded",
    ):
        assert phrase in told, phrase


def test_the_money_is_paid_only_after_a_win_and_the_mail_only_after_the_money(dossier: Dossier) -> None:
    drafted = by_kind(dossier)
    stage, submit = drafted[ActionKind.STRIPE_STAGE_EVIDENCE], drafted[ActionKind.STRIPE_SUBMIT_EVIDENCE]
    refund, email = drafted[ActionKind.STRIPE_REFUND], drafted[ActionKind.CUSTOMER_EMAIL]

    def waits(action: ActionDraft) -> list[tuple[DependencyKind, str]]:
        return [(dependency.kind, dependency.ref) for dependency in action.depends_on]

    assert waits(stage) == [(DependencyKind.APPROVAL, submit.purpose)]
    assert waits(submit) == [(DependencyKind.ACTION, stage.purpose)]
    assert waits(refund) == [(DependencyKind.OUTCOME, "dispute.won")]
    assert waits(email) == [(DependencyKind.ACTION, refund.purpose)]
    assert submit.at_risk_minor == 840000
    assert refund.amount_minor == refund.payload["amount_minor"] == 56000
    assert refund.payload["reason"] == "requested_by_customer"
    assert refund.snapshot["dispute.status"] == "needs_response"
    assert submit.snapshot["dispute.submission_count"] == 0


def test_actions_name_each_other_by_purposes_that_are_unique(dossier: Dossier) -> None:
    actions = dossier.draft().actions
    purposes = [action.purpose for action in actions]
    assert len(set(purposes)) == len(purposes)
    refs = {
        dependency.ref
        for action in actions
        for dependency in action.depends_on
        if dependency.kind is not DependencyKind.OUTCOME
    }
    assert refs <= set(purposes)


def test_the_recipient_is_the_payer_of_record_and_the_mail_holds_no_internal_id(dossier: Dossier) -> None:
    email = by_kind(dossier)[ActionKind.CUSTOMER_EMAIL]
    assert email.target == email.payload["to"] == dossier.only("stripe.customers").fields["email"]
    body = str(email.payload["body_text"])
    assert "560.00 USD" in body
    assert "Custom Reports" in body
    for item in dossier.evidence:
        if item.row.kind is EvidenceKind.ROW and not item.row.table.startswith("rules."):
            assert item.row.record_id not in body


def test_the_packet_says_what_is_owed_and_quotes_the_customer_with_the_date(dossier: Dossier) -> None:
    payload = by_kind(dossier)[ActionKind.STRIPE_STAGE_EVIDENCE].payload
    evidence = payload["evidence"]
    assert isinstance(evidence, dict)
    statement = str(evidence["uncategorized_text"])
    assert "proportional refund of 560.00 USD" in statement
    assert '2026-04-14 10:22 UTC: the customer wrote: "hi, Custom Reports keeps timing out' in statement
    assert "courtesy" not in statement
    dates = [line[2:12] for line in statement.splitlines() if line.startswith("- ")]
    assert dates[:-1] == sorted(dates[:-1])
    assert evidence["service_date"] == "2026-04-12 to 2026-05-12"
    assert len(evidence) >= 6


def test_notes_go_to_the_account_the_crm_gave_us_and_briefs_to_the_channel_of_the_org(dossier: Dossier) -> None:
    drafted = by_kind(dossier)
    assert drafted[ActionKind.CRM_NOTE].payload["company_id"] == dossier.only("hubspot.companies").record_id
    assert drafted[ActionKind.SLACK_BRIEF].target == dossier.org.default_channel


def test_everything_that_is_drafted_is_legal_in_the_present_state(dossier: Dossier) -> None:
    decision = dossier.brief().decision
    assert PLAYBOOK.illegal(dossier.case, decision, None) is None
    for draft in dossier.draft().actions:
        action = Action(**draft.model_dump(), id=draft.purpose, hash="h")
        assert PLAYBOOK.illegal(dossier.case, decision, action) is None, draft.kind


def test_text_of_customers_is_marked_untrusted_and_text_of_staff_is_not(dossier: Dossier) -> None:
    marks = {
        (
            item.row.table,
            str(item.row.fields.get("author_role") or item.row.fields.get("author_type")),
        ): item.row.untrusted
        for item in dossier.evidence
        if item.row.kind is EvidenceKind.ROW and item.row.table in CONVERSATIONS
    }
    assert marks == {
        ("zendesk.ticket_comments", "end_user"): True,
        ("zendesk.ticket_comments", "agent"): False,
        ("intercom.conversation_parts", "user"): True,
        ("intercom.conversation_parts", "admin"): False,
    }


def test_nobody_elses_records_are_among_the_evidence(dossier: Dossier) -> None:
    customers = {item.row.record_id for item in dossier.evidence if item.row.table == "stripe.customers"}
    companies = {item.row.record_id for item in dossier.evidence if item.row.table == "hubspot.companies"}
    assert len(customers) == len(companies) == 1
    assert not any(item.row.table == "salesforce.accounts" for item in dossier.evidence)


def test_the_same_evidence_gives_the_same_draft(dossier: Dossier) -> None:
    assert dossier.draft() == dossier.draft()


def test_a_second_round_reads_the_latest_of_each_record(dossier: Dossier) -> None:
    charge = dossier.only("stripe.charges")
    again = dossier.added("stripe.charges", charge.record_id, {**charge.fields, "amount_refunded": 100})
    assert again.brief().decision.kind is DecisionKind.ESCALATE
    assert "returned already" in again.brief().decision.rationale


def test_the_case_remembers_the_customer_and_what_can_be_refunded(dossier: Dossier) -> None:
    facts = dossier.draft().facts
    assert facts["customer.id"] == dossier.only("stripe.customers").record_id
    assert facts["customer.email"] == dossier.only("stripe.customers").fields["email"]
    assert facts["charge.currency"] == "usd"
    assert (facts["charge.refundable_now_minor"], facts["charge.refundable_later_minor"]) == (0, 840000)


def test_what_is_not_known_is_not_remembered(dossier: Dossier) -> None:
    facts = dossier.without("stripe.customers").changed("stripe.charges", amount_captured=None).draft().facts
    assert facts.keys() == {"charge.currency", "customer_arr_minor", "prior_disputes", "untrusted_flags"}
    assert dossier.without("stripe.disputes").draft().facts == {}
    asked = dossier.with_facts({"dispute.status": "warning_needs_response"})
    inquiry = asked.changed("stripe.disputes", status="warning_needs_response").draft().facts
    assert inquiry["charge.refundable_now_minor"] == 840000
