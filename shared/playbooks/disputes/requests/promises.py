"""What staff promised in writing, held against what was billed: seats at no extra charge, a trial that lasts longer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

from shared.case.evidence import Evidence
from shared.playbooks.disputes import derive, labels
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.identity import is_staff
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.sales_promise import SEATS, TRIAL, SalesPromise, sales_promise
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import paid_as_billed, payment_meant, untouched
from shared.playbooks.disputes.requests.model import Errand, Owed, Ruling, person
from shared.team import promises
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.plain import casts_doubt, own_words
from shared.team.words import count, day, quoted

T = TypeVar("T")

_WRITTEN = {"hubspot.emails": ("from_email", "sent_at"), "hubspot.notes": ("author_email", "created_at")}
"""Who wrote a text, and when."""

_UNREAD = {"hubspot.emails": labels.EMAILS, "hubspot.notes": labels.NOTES}
_WON = ("won", "closed-won")


@dataclass(frozen=True, slots=True)
class _Promise(Generic[T]):
    """What was promised, in which row, by whom and when."""

    what: T
    row: Evidence
    author: str
    at: datetime


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """What was billed against a promise goes back, and a colleague files the amendment. Raises Said, Unevaluable."""
    rule = sales_promise(policy)
    unread = [_UNREAD[table] for table in rule.tables if _UNREAD[table] in claim.unread]
    if unread:
        raise person(f"what was promised cannot be ruled out: {unread[0]} could not be read whole", policy.evidence)
    told = [
        found
        for about, ask in ((TRIAL, _trial), (SEATS, _seats))
        if about in rule.about and (found := ask(material, claim, policy, rule)) is not None
    ]
    if len(told) > 1:
        raise person("more than one promise was billed against", *[row for ruling in told for row in ruling.cites])
    return told[0] if told else "nobody of staff promised in writing what was billed"


def _written(claim: Claim, rule: SalesPromise) -> list[tuple[Evidence, str, datetime]]:
    """Texts by staff who can promise, in order, with their author and instant."""
    owners = {text(row, "owner_email").lower() for row in claim.accounts} - {""}
    found = []
    for row in claim.exhibits.rows(*rule.tables):
        author_field, at_field = _WRITTEN[row.row.table]
        author, at = text(row, author_field).lower(), moment(row.row.fields.get(at_field))
        if at is None or row.row.untrusted or not is_staff(author, claim.org):
            continue
        if not rule.owner_only or author in owners:
            found.append((row, author, at))
    return sorted(found, key=lambda item: (item[2], item[0].index))


def _seats(material: Material, claim: Claim, policy: Policy, rule: SalesPromise) -> Ruling | None:
    written = _written(claim, rule)
    if not any(promises.speaks_of_seats(text(row, "body")) for row, _, _ in written):
        return None
    payment = payment_meant(material, claim)
    line, contracted, deals = _overage(claim, payment)
    used = contracted + (whole(line, "quantity") or 0)
    relied = _relied_from(payment, line)
    before = _plainly(
        [item for item in written if item[2] < relied],
        promises.speaks_of_seats,
        lambda said, on: _seats_still(said, on, payment.paid_at.date()),
        ("seats", payment),
    )
    if not before:
        return None
    last = before[-1]
    if any((item.what >= used) != (last.what >= used) for item in before):
        raise person("staff promised different numbers of seats", *[item.row for item in before], payment=payment)
    if last.what <= contracted:
        return None
    if last.what < used:
        reason = (
            f"{count(last.what, 'seat')} were promised and {used} used: the promise covers a part of what was billed"
        )
        raise person(reason, last.row, line, *deals, payment=payment)
    because = (
        f"On {day(last.at)} we told you that you can use up to {last.what} seats at no extra charge, and you used "
        f"{used}. You relied on that, so it stands."
    )
    told = (
        f"{last.what} seats at no extra charge were promised by {last.author} on {day(last.at)}: "
        f"{quoted(_words(last.row))}; "
        f"{used} were used ({contracted} by contract and {used - contracted} billed on top)"
    )
    return _kept(claim, policy, payment, line, last, (because, told), (*deals, line), rule)


def _plainly(
    written: Sequence[tuple[Evidence, str, datetime]],
    speaks: Callable[[str], bool],
    read: Callable[[str, datetime], T | None],
    about: tuple[str, Payment],
) -> list[_Promise[T]]:
    """The promises in these texts. Raises Said where one bears on it, or may take a promise back, and is unclear."""
    found: list[_Promise[T]] = []
    topic, payment = about
    for row, author, at in written:
        said = text(row, "body")
        if not speaks(said) and not (found and casts_doubt(said)):
            continue
        what = read(said, at)
        if what is None:
            reason = f"staff wrote about the {topic}, and what they promised is not plain: {quoted(said)}"
            raise person(reason, *[item.row for item in found], row, payment=payment)
        found.append(_Promise(what, row, author, at))
    return found


def _seats_still(said: str, written: datetime, billed: date) -> int | None:
    """The number of seats that a text promises, where the promise still held when they were billed."""
    promised = promises.promised_seats(said, written.date())
    held = promised is not None and (promised.until is None or billed < promised.until)
    return promised.seats if promised is not None and held else None


def _overage(claim: Claim, payment: Payment) -> tuple[Evidence, int, list[Evidence]]:
    """The line that bills seats on top, how many are contracted, and the deals that say so. Raises Said."""
    lines = [
        line for line in payment.paid_lines if (whole(line, "quantity") or 0) > 0 and (whole(line, "amount") or 0) > 0
    ]
    if len(lines) != 1:
        raise person("which line bills the seats on top is not clear", payment.charge, *lines, payment=payment)
    deals = [row for row in claim.exhibits.rows("hubspot.deals", "salesforce.opportunities") if _is_won(row)]
    contracted = {number for row in deals if (number := whole(row, "quantity")) is not None}
    if labels.DEALS in claim.unread or len(contracted) != 1:
        raise person("how many seats are under contract is not clear", payment.charge, *deals, payment=payment)
    return lines[0], contracted.pop(), deals


def _is_won(deal: Evidence) -> bool:
    stage = text(deal, "dealstage", "stage").lower().replace(" ", "").replace("_", "")
    return deal.row.fields.get("is_won") is True or any(stage.endswith(word) for word in _WON)


def _relied_from(payment: Payment, line: Evidence) -> datetime:
    return moment(line.row.fields.get("period__start")) or payment.paid_at


def _trial(material: Material, claim: Claim, policy: Policy, rule: SalesPromise) -> Ruling | None:
    zone = ZoneInfo(claim.org.timezone)
    written = _written(claim, rule)
    if not any(promises.speaks_of_trial(text(row, "body")) for row, _, _ in written):
        return None
    payment = payment_meant(material, claim)
    before = _plainly(
        [item for item in written if item[2] < payment.paid_at],
        promises.speaks_of_trial,
        lambda said, on: promises.promised_trial_end(said, on.astimezone(zone).date()),
        ("trial", payment),
    )
    if not before:
        return None
    last, ends = before[-1], [datetime.combine(item.what + timedelta(days=1), time(0), zone) for item in before]
    if any((end > payment.paid_at) != (ends[-1] > payment.paid_at) for end in ends):
        raise person("staff promised different ends of the trial", *[item.row for item in before], payment=payment)
    if ends[-1] <= payment.paid_at:
        return None
    until = f"{last.what.day} {last.what:%B %Y}"
    because = (
        f"On {day(last.at)} we told you that your trial runs until {until}, and we charged you on "
        f"{day(payment.paid_at)}. That was our fault, and we are sorry."
    )
    told = (
        f"a trial until {until} was promised by {last.author} on {day(last.at)}: {quoted(_words(last.row))}; the "
        f"charge of {day(payment.paid_at)} lies before that"
    )
    subscriptions = claim.exhibits.rows("stripe.subscriptions")
    return _kept(claim, policy, payment, None, last, (because, told), subscriptions, rule)


def _kept(
    claim: Claim,
    policy: Policy,
    payment: Payment,
    line: Evidence | None,
    promise: _Promise[T],
    words: tuple[str, str],
    cites: Sequence[Evidence],
    rule: SalesPromise,
) -> Ruling:
    """The ruling that keeps a promise. `line`: what goes back; None: the whole charge. `words`: for them and for us."""
    because, told = words
    untouched(claim, payment)
    if line is not None:
        paid_as_billed(payment)
    priced = line if line is not None and whole(line, "amount") != payment.amount_minor else payment.charge
    derivation = derive.whole_amount(priced, payment.currency)
    if derivation.value_minor > (payment.left_minor or 0):
        raise person("what was billed is more than the charge has left", payment.charge, payment=payment)
    finding = claimed(told, INFERRED if line is not None else READ_OUT, promise.row, payment.charge, *cites)
    errand = Errand(
        purpose="file_amendment",
        title=f"{claim.customer_name}: put the promise of {day(promise.at)} on paper",
        body=(
            f"{told}. {policy.name} keeps such a promise. Please file the amendment to the contract, and have the "
            "subscription at Stripe say the same, so that it is not billed again."
        ),
    )
    return Ruling(
        (owed := Owed(derivation, rule.instrument, because)).kind,
        (f"{told}; {policy.name} binds us to it, because they relied on it in good faith",),
        (policy.evidence, promise.row),
        policy=policy,
        payment=payment,
        owed=owed,
        errand=errand,
        found=(finding,) if finding else (),
    )


def _words(row: Evidence) -> str:
    return own_words(text(row, "body"))
