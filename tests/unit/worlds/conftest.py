"""A small world that is right in every part, to be broken one part at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

MANIFEST = """\
name: small
title: A small world
now: 2026-05-08T12:00:00Z
org:
  id: shop
  currency: usd
  timezone: Europe/Berlin
  fx: { eur: "1.08", gbp: 2 }
  members:
    - { email: ana@shop.example, name: Ana, role: admin, limit_minor: null }
    - { email: ben@shop.example, name: Ben, role: approver, limit_minor: 50000 }
    - { email: cy@shop.example, name: Cy, role: viewer }
noise: { seed: 1, scale: 1 }
"""

POLICY = """\
---
id: refunds
title: Refunds
status: current
effective_from: 2026-01-01
applies_to: [refund_request, general]
url: https://shop.example/refunds
rule:
  kind: refund_window
  within_days: 30
---
Money back within 30 days.
"""

CHARGE = {"id": "ch_1", "object": "charge", "amount": 9000, "currency": "usd", "outcome": {"risk_level": "normal"}}
DISPUTE = {"id": "du_1", "object": "dispute", "charge": "ch_1", "amount": 9000, "status": "needs_response"}
EVENT = {
    "id": "evt_1",
    "object": "event",
    "api_version": "2026-04-22.dahlia",
    "type": "charge.dispute.created",
    "created": 1778240700,
    "livemode": False,
    "data": {"object": DISPUTE},
}
REQUEST = {
    "id": "req_1",
    "channel": "email",
    "received_at": "2026-05-08T11:00:00+02:00",
    "from": "zoe@customer.example",
    "text": "please refund me",
    "charge": "ch_1",
    "amount_minor": 9000,
    "currency": "usd",
}

FILES = {
    "world.yaml": MANIFEST,
    "policies/refunds.md": POLICY,
    "sources/stripe/charges.jsonl": '{"id": "ch_1", "amount": 9000, "outcome__risk_level": "normal"}\n',
    "sources/stripe/disputes.jsonl": '{"id": "du_1", "charge": "ch_1", "amount": 9000, "status": "needs_response"}\n',
    "sources/hubspot/companies.csv": 'id,name,domain,arr\n1,"Acme, Inc",acme.example,1200\n2,Twin,,\n',
    "sources/datadog/monitors.jsonl": '{"id": "5", "threshold": 0.050}\n\n{"id": "6", "tags": ["a"]}\n',
    "events/01-created.json": json.dumps(EVENT, indent=2),
    "requests/01-mail.json": json.dumps(REQUEST, indent=2),
    "stripe/charge.json": json.dumps(CHARGE, indent=2),
    "stripe/dispute.json": json.dumps(DISPUTE, indent=2),
    "approval.yaml": "tiers: []\n",
    "README.md": "A world to test with.\n",
}

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the small world with some files replaced, added, or (None) left out; returns its folder."""

    def write_world(files: dict[str, str | None] | None = None) -> Path:
        root = tmp_path / "small"
        for name, text in {**FILES, **(files or {})}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_text(text, encoding="utf-8")
        return root

    return write_world
