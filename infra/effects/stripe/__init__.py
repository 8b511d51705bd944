"""Stripe as `act` changes it, through the official SDK: refunds, evidence, closing a dispute.

Every call carries the connected account, one idempotency key and the ids of case and action in its metadata, so that
what happened can be found again. Nothing here retries; `act` does, after looking up.
"""
