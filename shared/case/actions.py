"""Actions: what may be done to the outside world, bound to a content hash that approvals bind to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from pydantic import Field, JsonValue

from shared.case.canonical import Record, canonical, sha256, short_hash

Json = JsonValue
"""Any JSON value; floats are refused when it is written down (canonical.py)."""


class ActionKind(StrEnum):
    """Everything that `act` can be asked to do."""

    STRIPE_REFUND = "stripe_refund"
    STRIPE_STAGE_EVIDENCE = "stripe_stage_evidence"
    STRIPE_SUBMIT_EVIDENCE = "stripe_submit_evidence"
    STRIPE_CLOSE_DISPUTE = "stripe_close_dispute"
    STRIPE_BALANCE_CREDIT = "stripe_balance_credit"
    STRIPE_CREDIT_NOTE = "stripe_credit_note"
    STRIPE_CANCEL_SUBSCRIPTION = "stripe_cancel_subscription"
    STRIPE_RETRY_INVOICE = "stripe_retry_invoice"
    CUSTOMER_EMAIL = "customer_email"
    CRM_NOTE = "crm_note"
    SLACK_BRIEF = "slack_brief"
    TICKET = "ticket"
    DECISION_LOG = "decision_log"


class Effect(StrEnum):
    """What kind of mark an action leaves."""

    MONEY_OUT = "money_out"
    IRREVERSIBLE = "irreversible"
    CUSTOMER_VISIBLE = "customer_visible"
    INTERNAL = "internal"


EFFECT_OF: dict[ActionKind, Effect] = {
    ActionKind.STRIPE_REFUND: Effect.MONEY_OUT,
    ActionKind.STRIPE_BALANCE_CREDIT: Effect.MONEY_OUT,
    ActionKind.STRIPE_CREDIT_NOTE: Effect.MONEY_OUT,
    ActionKind.STRIPE_STAGE_EVIDENCE: Effect.INTERNAL,
    ActionKind.STRIPE_SUBMIT_EVIDENCE: Effect.IRREVERSIBLE,
    ActionKind.STRIPE_CLOSE_DISPUTE: Effect.IRREVERSIBLE,
    ActionKind.STRIPE_CANCEL_SUBSCRIPTION: Effect.IRREVERSIBLE,
    ActionKind.STRIPE_RETRY_INVOICE: Effect.CUSTOMER_VISIBLE,
    ActionKind.CUSTOMER_EMAIL: Effect.CUSTOMER_VISIBLE,
    ActionKind.CRM_NOTE: Effect.INTERNAL,
    ActionKind.SLACK_BRIEF: Effect.INTERNAL,
    ActionKind.TICKET: Effect.INTERNAL,
    ActionKind.DECISION_LOG: Effect.INTERNAL,
}


class ActionState(StrEnum):
    """`skipped`: an outcome or a failed dependency made it pointless. `voided`: it may no longer run as approved."""

    DRAFTED = "drafted"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    DEFERRED = "deferred"
    INTENDED = "intended"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"
    VOIDED = "voided"


IN_FLIGHT = frozenset({ActionState.INTENDED, ActionState.UNKNOWN})
"""States in which the call may have reached the outside world: settle them before anything else."""

ENDED_WITHOUT_EFFECT = frozenset({ActionState.FAILED, ActionState.SKIPPED, ActionState.VOIDED})

ENDED = ENDED_WITHOUT_EFFECT | {ActionState.SUCCEEDED}


class Tier(StrEnum):
    """Who must approve."""

    AUTO = "auto"
    ONE_APPROVER = "one_approver"
    TWO_APPROVERS = "two_approvers"
    FORBIDDEN = "forbidden"


TIER_ORDER = {Tier.AUTO: 0, Tier.ONE_APPROVER: 1, Tier.TWO_APPROVERS: 2, Tier.FORBIDDEN: 3}


class Verdict(Record):
    """What the policy check says of one action, with the rules that said so."""

    tier: Tier
    rules: tuple[str, ...]
    at_risk_minor: int | None = None
    """Money at risk in minor units of the org's currency; None when it could not be computed."""


class DependencyKind(StrEnum):
    """`action`: it must have succeeded. `approval`: it must be approved. `outcome`: the outside world has said so."""

    ACTION = "action"
    APPROVAL = "approval"
    OUTCOME = "outcome"


class Dependency(Record):
    """What must be true before an action may run. `ref` is an action id or an outcome such as dispute.won."""

    kind: DependencyKind
    ref: str


class Approval(Record):
    """One person's consent to one content hash."""

    email: str
    role: str
    at: datetime
    hash: str


class ActionDraft(Record):
    """An action as a playbook proposes it; nothing in it is executable before the policy check has spoken.

    `purpose` distinguishes two actions of one kind on one target (two legitimate refunds); `amount_minor` is money out
    in `currency`, None where no money moves; `at_risk_minor` is the disputed or involved amount where that differs.
    """

    kind: ActionKind
    purpose: str
    target: str
    account: str | None = None
    amount_minor: int | None = Field(default=None, ge=1)
    currency: str | None = None
    at_risk_minor: int | None = None
    at_risk_currency: str | None = None
    payload: dict[str, Json] = Field(default_factory=dict)
    description: str
    depends_on: tuple[Dependency, ...] = ()
    needed: bool = True
    """False for courtesy actions whose failure does not keep the case from being resolved."""
    snapshot: dict[str, Json] = Field(default_factory=dict)
    """The fields of the outside world this action was decided on; compared again right before the call."""

    @property
    def effect(self) -> Effect:
        """What mark it leaves; a property of the kind, never the drafter's choice."""
        return EFFECT_OF[self.kind]


class Action(ActionDraft):
    """An action of a case, with everything that has happened to it."""

    id: str
    hash: str
    state: ActionState = ActionState.DRAFTED
    verdict: Verdict | None = None
    approvals: tuple[Approval, ...] = ()
    editors: tuple[str, ...] = ()
    """Everybody who changed its content since it was drafted."""
    requested_by: str | None = None
    attempt: int = 0
    intended_at: datetime | None = None
    """When the latest attempt recorded its intent."""
    unknowns: int = 0
    """How many attempts ended without an answer."""
    lease_until: datetime | None = None
    lease_owner: str | None = None
    idempotency_key: str | None = None
    external_ref: str | None = None
    error: str | None = None
    reason: str | None = None
    pending: bool = False
    """It succeeded, but the other side may still take it back: what depends on it waits until it is final."""
    superseded: bool = False
    """It ended without an effect and a later draft has taken its place; kept for the story, no longer needed."""

    def depends_on_outcome(self) -> bool:
        """Whether it waits for the outside world to say something."""
        return any(dependency.kind is DependencyKind.OUTCOME for dependency in self.depends_on)


def draws_on_charge(action: ActionDraft) -> bool:
    """Whether it takes money back out of a charge: a refund, or a credit note that is given back as one.

    What a note credits to the customer's balance leaves the charge as it is.
    """
    noted = action.kind is ActionKind.STRIPE_CREDIT_NOTE and action.payload.get("how") == "refund"
    return noted or action.kind is ActionKind.STRIPE_REFUND


def action_id(case_id: str, draft: ActionDraft, existing: Iterable[Action] = ()) -> str:
    """The identity of an action: the same proposal has the same id in every round, so it cannot happen twice.

    Only a proposal whose earlier edition ended without an effect gets a new one: what was voided never revives, and
    what the other side refused is not sent again under the old key.
    """
    base = f"{draft.kind.value}-{short_hash(case_id, draft.kind.value, draft.target, draft.purpose, length=10)}"
    states = {action.id: action.state for action in existing}
    edition, identity = 1, base
    while states.get(identity) in ENDED_WITHOUT_EFFECT:
        edition += 1
        identity = f"{base}-{edition}"
    return identity


def content_hash(draft: ActionDraft, *, decision_hash: str, dependency_hashes: tuple[str, ...]) -> str:
    """What an approval binds to: everything the action would do, why, on what, and what it waits for."""
    fields = set(ActionDraft.model_fields)
    return sha256(
        canonical(
            {
                "action": draft.model_dump(mode="json", include=fields),
                "decision": decision_hash,
                "depends_on": list(dependency_hashes),
            }
        )
    )


def idempotency_key(org: str, case_id: str, action: Action) -> str:
    """The key every external call of this action carries: made of its identity alone, never of amounts or texts.

    An edited action is the same action; after an effect it cannot be edited, so the key can never cover two contents
    that both happened.
    """
    return f"manthan-{short_hash(org, case_id, action.id, length=40)}"
