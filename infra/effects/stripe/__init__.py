"""Stripe as `act` changes it, through the official SDK: disputes, refunds and credits, subscriptions, invoices.

Every call carries the connected account and, where Stripe takes them, one idempotency key and the ids of case and
action in its metadata, so that what happened can be found again; a module says what it does where Stripe does not.
Nothing here retries; `act` does, after looking up.
"""
