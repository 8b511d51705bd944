from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import stripe

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import DAY, START, charge, chargeback
from .conftest import connect, start

COMMAND = [sys.executable, "-m", "infra.fakes.stripe"]


def test_a_killed_double_has_lost_nothing_it_answered(tmp_path: Path) -> None:
    paid, other = charge(), charge()
    dispute = chargeback(other)
    with start(tmp_path / "state.db") as double:
        double.load([paid, other, dispute])
        double.configure(decision_days=3)
        double.set_clock(START + DAY)
        double.fault("500", path="/v1/payouts")
        client = connect(double)
        refund = client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "before"})
        client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "winning_evidence"}})
        effects, requests = double.effects(), double.requests()
        port = double.port
        double.kill()
    with start(tmp_path / "state.db", port=port) as double:
        assert double.clock() == {"now": START + DAY, "next_at": START + 4 * DAY, "running": False}
        assert (double.effects(), double.requests()) == (effects, requests)
        assert [fault["path"] for fault in double.faults()] == ["/v1/payouts"]
        again = client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "before"})
        assert again.id == refund.id
        assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 100
        double.set_clock(START + 4 * DAY)
        assert client.v1.disputes.retrieve(dispute["id"]).status == "won"


def test_what_was_under_way_when_it_was_killed_happened_wholly_or_not_at_all(tmp_path: Path) -> None:
    paid = charge(amount=1_000_000)
    answered: list[str] = []
    with start(tmp_path / "state.db") as double:
        double.load([paid])
        client, enough = connect(double), threading.Event()

        def refund_until_it_dies() -> None:
            try:
                while True:
                    answered.append(client.v1.refunds.create({"charge": paid["id"], "amount": 1}).id)
                    if len(answered) == 20:
                        enough.set()
            except stripe.APIConnectionError:
                return

        worker = threading.Thread(target=refund_until_it_dies)
        worker.start()
        assert enough.wait(20)
        double.kill()
        worker.join(20)
    with start(tmp_path / "state.db") as double:
        client = connect(double)
        kept = [refund.id for refund in client.v1.refunds.list({"limit": 100}).auto_paging_iter()]
        assert set(answered) <= set(kept)
        assert len(kept) <= len(answered) + 1
        assert client.v1.charges.retrieve(paid["id"]).amount_refunded == len(kept)
        assert [effect["object"] for effect in double.effects()] == kept[::-1]
        told = client.v1.events.list({"type": "refund.created", "limit": 100}).auto_paging_iter()
        assert [event.data.object["id"] for event in told] == kept


def test_it_ends_in_order_when_asked(tmp_path: Path) -> None:
    double = start(tmp_path / "state.db")
    assert double.stop() == 0
    assert double.stop() == 0


def test_it_ends_when_its_parent_is_gone(tmp_path: Path) -> None:
    command = [*COMMAND, "--db", str(tmp_path / "state.db"), "--exit-with-parent"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        started = json.loads(process.stdout.readline())
        assert started["pid"] == process.pid
        assert started["url"].startswith("http://127.0.0.1:")
        process.stdin.close()
        assert process.wait(10) == 0


def test_a_second_process_cannot_have_the_same_state(tmp_path: Path) -> None:
    with start(tmp_path / "state.db"):
        outcome = subprocess.run([*COMMAND, "--db", str(tmp_path / "state.db")], capture_output=True, text=True)
    assert outcome.returncode == 2
    assert "locked" in outcome.stderr


def test_a_double_that_does_not_start_says_so(tmp_path: Path) -> None:
    with pytest.raises(DoubleFailed, match="did not start"):
        StripeDouble.start(db=tmp_path / "absent" / "state.db")


def test_the_same_calls_give_the_same_ids(tmp_path: Path) -> None:
    ids = []
    for name in ("one.db", "two.db"):
        with start(tmp_path / name) as double:
            ids.append(connect(double).v1.customers.create({"email": "a@example.com"}).id)
    assert ids[0] == ids[1]


def test_settings_are_checked_and_kept(tmp_path: Path) -> None:
    with start(tmp_path / "state.db") as double:
        for wrong in ({"decision_days": -1}, {"decision_days": "62"}, {"colour": 1}, {"refunds": {"ch_1": "lost"}}):
            with pytest.raises(DoubleFailed):
                double.configure(**wrong)
        assert double.configure(inquiry_days=90)["inquiry_days"] == 90
        assert double.configure()["decision_days"] == 62


def test_it_imports_neither_the_sdk_nor_a_web_framework() -> None:
    code = "import sys, infra.fakes.stripe.__main__; print(sorted({'stripe', 'flask', 'werkzeug'} & set(sys.modules)))"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert outcome.stdout.strip() == "[]"
