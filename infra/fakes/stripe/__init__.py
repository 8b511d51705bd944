"""A Stripe that behaves like Stripe, for the parts that settling a payment problem touches.

It is a process of its own (`python -m infra.fakes.stripe`) that the official SDK talks to unchanged, keeps its state in
one SQLite file so that a killed process loses nothing it has answered, sends signed webhooks, and lives on a clock that
only moves when told to. Object shapes follow API version 2026-08-26.dahlia.

What it does
    - Reads (retrieve, list with cursors, filters and `expand[]`): charges, payment intents, customers and their balance
      transactions, refunds, disputes, balance transactions, events, invoices with their lines and payments, credit
      notes, subscriptions, early fraud warnings, and what else was loaded (payment methods, reviews, payouts, ...).
    - Writes: refunds (create, update metadata), disputes (stage, submit, close), invoices (pay, mark uncollectible),
      credit notes (create), credits on a customer's balance, subscriptions (cancel, cancel at period end, metadata),
      customers (create, update), charges (update), files (upload as dispute evidence, with the limits of one file and
      of a dispute's files together; what they hold is measured and not kept).
    - Idempotency keys, restricted keys, Stripe's refusals with their codes, declined cards, the money of a dispute.
    - An issuer that decides on its schedule, deadlines that pass, refunds that settle or fail later, subscriptions that
      end with their period, scripted events.
    - Signed webhooks, with several secrets while one is rolled; on request duplicated, shuffled, held back or dropped
      (`settings.Webhooks`).
    - Faults on request, of the connection and of the API (`faults`).

What it assumes where Stripe is silent (each is a decision of this double, not a fact about Stripe)
    - A pending refund counts against what can still be refunded, but `amount_refunded` shows it only once it succeeded.
    - Evidence of a dispute under review cannot be changed; submitting no evidence at all is refused.
    - An inquiry left unanswered at `due_by` escalates, as does one whose answer would not win; an answered one that
      holds closes 120 days after it was opened. Escalation gives a new `due_by`, nine days on, and keeps the id.
    - The issuer's ruling is a rule over which evidence fields are filled (see `issuer`), not a reading of the evidence.
    - Amounts convert at the rate of the charge's own balance transaction; without one nothing is converted, and a
      dispute fee in another currency is a balance transaction of its own.
    - A scripted event reaches its receivers word for word; of the object in it, what the merchant owns (evidence,
      metadata, what was refunded, what was booked, that it was paid or cancelled) stays as it is here.
    - A card pays unless a setting or one of Stripe's test payment methods says otherwise. A payment is booked in the
      invoice's currency and without Stripe's fee. An invoice that wants authentication tells of it as both
      `invoice.payment_action_required` and `invoice.payment_failed`.
    - A credit note over an amount has no lines. Prorating counts seconds of the current period at the items' prices.
    - Files are counted when they are staged; a PDF whose pages are in compressed object streams counts as one page.
    - The wording of refusals that no record was found of: paying a draft or void invoice, a credit note that is too
      large or on an invoice of another status, files that are too many pages or bytes.

What it does not do
    - Create payments other than an invoice's, capture, cancel refunds, read a file's contents, search, Connect, v2
      events, rate limits of its own, Radar block lists, Smart Disputes, arbitration, payouts. The account has no
      balance: a refund never lacks funds.
    - Retry invoices by itself: nothing happens at `next_payment_attempt` unless it is scripted.
    - Create, finalize, void or settle invoices out of band, apply a customer's balance to them, invoice what a
      cancellation prorated; credit notes by lines, with linked refunds, their preview and voiding.
    - End a subscription that was loaded as ending: only what was asked of it here is carried out.
    - Count down `pending_webhooks` of an event: it stays the number of endpoints the event was meant for.
    - Check `Stripe-Version`: it is echoed, the shapes stay the same.
    - Give up on a webhook: it is tried until it is accepted, at intervals of real time up to 30 seconds.
    - Protect its admin interface (`/_double/`): it has no authentication and belongs on a loopback address.
"""
