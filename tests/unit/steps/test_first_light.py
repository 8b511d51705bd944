from __future__ import annotations

from shared.case.lifecycle import State
from shared.steps.audit import audit
from shared.steps.people import approve
from tests.support.rig import ALICE, BOB, ORG, Rig


def test_a_dispute_goes_from_the_first_event_to_the_last_payment(rig: Rig) -> None:
    case = rig.to_approval()
    assert case.evidence_count == 5
    approve(rig.all_ports(), rig.context(ALICE), case.id)
    assert rig.case().state is State.AWAITING_APPROVAL
    approve(rig.all_ports(), rig.context(BOB), case.id)
    rig.pump()
    assert rig.case().state is State.AWAITING_OUTCOME, rig.states()
    rig.effects.world["dispute.status"] = "won"
    rig.post(rig.event("test.closed", status="won"))
    rig.pump()
    assert rig.case().state is State.RESOLVED, (rig.case().state_reason, rig.states())
    assert rig.effects.calls == [
        "crm_note",
        "stripe_stage_evidence",
        "stripe_submit_evidence",
        "stripe_refund",
        "customer_email",
    ]
    found = audit(rig.store, ORG, case.id)
    assert found.ok, found.problems
    assert found.events == rig.case().events
    assert [e.outcome for e in rig.store.episodes(ORG, "cus_1")] == ["dispute.won"]
