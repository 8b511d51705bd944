"""A Stripe that behaves like Stripe, for the parts that settling a payment problem touches.

It is a process of its own (`python -m infra.fakes.stripe`) that the official SDK talks to unchanged, keeps its state in
one SQLite file so that a killed process loses nothing it has answered, sends signed webhooks, and lives on a clock that
only moves when told to. Object shapes follow API version 2026-08-26.dahlia.

What it does
    - Reads (retrieve, list with cursors, filters and `expand[]`): charges, payment intents, customers, refunds,
      disputes, balance transactions, events, and what else was loaded (invoices, subscriptions, fraud warnings, ...).
    - Writes: refunds (create, update metadata), disputes (stage, submit, close), customers (create).
    - Idempotency keys, restricted keys, Stripe's refusals with their codes, the money of a dispute.
    - An issuer that decides on its schedule, deadlines that pass, refunds that settle or fail later, scripted events.

What it assumes where Stripe is silent (each is a decision of this double, not a fact about Stripe)
    - A pending refund counts against what can still be refunded, but `amount_refunded` shows it only once it succeeded.
    - Evidence of a dispute under review cannot be changed; submitting no evidence at all is refused.
    - An inquiry left unanswered at `due_by` escalates, as does one whose answer would not win; an answered one that
      holds closes 120 days after it was opened. Escalation gives a new `due_by`, nine days on, and keeps the id.
    - The issuer's ruling is a rule over which evidence fields are filled (see `issuer`), not a reading of the evidence.
    - Amounts convert at the rate of the charge's own balance transaction; without one nothing is converted, and a
      dispute fee in another currency is a balance transaction of its own.
    - A scripted event reaches its receivers word for word; of the object in it, what the merchant owns (evidence,
      metadata, what was refunded, what was booked) stays as it is here.

What it does not do
    - Create payments, capture, cancel refunds, upload or check files, search, Connect, v2 events, rate limits, Radar
      block lists, Smart Disputes, arbitration, payouts. There is no balance: a refund never lacks funds.
    - Count down `pending_webhooks` of an event: it stays the number of endpoints the event was meant for.
    - Check `Stripe-Version`: it is echoed, the shapes stay the same.
    - Give up on a webhook: it is tried until it is accepted, at intervals of real time up to 30 seconds.
    - Fail on request: faults wrap `App.handle`, which is the one door every request goes through.
    - Protect its admin interface (`/_double/`): it has no authentication and belongs on a loopback address.
"""
