"""Nothing that a person wrote or is called leaves the pipeline in a log line or a span, on any path through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.stage import Stage
from infra.telemetry import Watch
from infra.telemetry.told import told_of
from infra.worlds import find_world, load_world
from shared.case.actions import Action
from shared.case.evidence import Gap
from shared.errors import InvalidInput, Refused, Retryable
from shared.ports.effects import EffectRefused, EffectUnavailable, EffectUnknown
from shared.ports.sources import QueryFailed, QueryResult
from shared.steps import people
from shared.team.contract import Draft, Findings, Job, Material
from tests.e2e.conftest import play
from tests.support.playbook import ScriptedSpecialist, partial_credit, row
from tests.support.rig import ALICE, BOB, CAROL, ORG, SECRET, Rig
from tests.unit.telemetry.conftest import Recorded

MARK = "Xq7marked"
"""In every text, name, address and reason that comes from outside."""


def marked(what: str) -> str:
    return f"{what} {MARK} <{MARK}@buyer.example>"


def finds_marked(job: Job, findings: Findings) -> None:
    findings.rows.append(row("stripe.charges", f"ch_{job.specialist}", amount=84000, refunded=0, note=marked("note")))
    findings.gaps.append(Gap(specialist=job.specialist, what=marked("gap"), why=marked("why")))


def draft_marked(material: Material) -> Draft:
    draft = partial_credit(material)
    assert draft.brief is not None
    findings = tuple(finding.model_copy(update={"text": marked(finding.text)}) for finding in draft.brief.findings)
    mail = {"to": f"{MARK}@buyer.example", "subject": marked("Your refund"), "body_text": marked("On its way")}
    actions = tuple(
        action.model_copy(update={"payload": mail, "target": mail["to"]}) if action.purpose == "mail" else action
        for action in draft.actions
    )
    return replace(draft, brief=draft.brief.model_copy(update={"findings": findings}), actions=actions)


def with_marks(rig: Rig) -> None:
    rig.playbook.specialists = [ScriptedSpecialist(each.name, finds_marked) for each in rig.playbook.specialists]
    rig.playbook.conclude = draft_marked


def event(rig: Rig, kind: str, status: str = "needs_response") -> dict[str, Any]:
    return rig.event(kind, status=status, customer_name=marked("Mia"), email=f"{MARK}@buyer.example")


def nothing_leaked(recorded: Recorded) -> None:
    assert recorded.spans
    found = recorded.everything()
    for secret in (MARK, ALICE, BOB, CAROL, SECRET):
        assert secret not in found


def test_a_case_from_its_event_to_its_last_effect(rig: Rig, recorded: Recorded) -> None:
    with_marks(rig)
    rig.post(event(rig, "test.created"))
    rig.pump()
    case = rig.case()
    with pytest.raises(Refused):
        people.approve(rig.all_ports(), rig.context(CAROL), case.id)
    for email in (ALICE, BOB):
        people.approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    rig.post(event(rig, "test.closed", status="won"))
    rig.pump()
    rig.advance(hours=100)
    rig.sweep()
    assert "customer_email" in rig.effects.calls
    assert {"committed", "metrics"} <= {line["message"] for line in recorded.lines}
    nothing_leaked(recorded)


ERRORS = (
    RuntimeError(marked("a bug")),
    InvalidInput(marked("not accepted")),
    Retryable(marked("later")),
    QueryFailed(marked("engine")),
    EffectRefused(marked("refused")),
    EffectUnknown(marked("no answer")),
    EffectUnavailable(marked("down")),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("where", ["route", "investigate", "conclude", "observe", "perform", "store"])
def test_whatever_is_raised_wherever(
    rig: Rig, recorded: Recorded, monkeypatch: pytest.MonkeyPatch, error: Exception, where: str
) -> None:
    def raising(*_: object, **__: object) -> Any:
        raise error

    with_marks(rig)
    case = None if where in ("route", "investigate", "conclude") else rig.to_approval()
    if where == "route":
        monkeypatch.setattr(rig.playbook, "route", raising)
    elif where == "investigate":
        rig.playbook.specialists = [ScriptedSpecialist("payments", raising)]
    elif where == "conclude":
        rig.playbook.conclude = raising
    elif where == "store":
        monkeypatch.setattr(rig.inbox, "put", raising)
    else:
        monkeypatch.setattr(rig.effects, where, raising)
    if case is not None:
        for email in (ALICE, BOB):
            people.approve(rig.all_ports(), rig.context(email), case.id)
    try:
        rig.post(event(rig, "test.created"))
    except (RuntimeError, EffectRefused, EffectUnknown):
        assert where == "store"  # the web server's affair: it answers 500 and logs the type
    rig.pump()
    nothing_leaked(recorded)


def test_a_request_that_nobody_understands(rig: Rig, recorded: Recorded) -> None:
    body = f'{{"org": "{MARK}", "case_id": 7}}'.encode()
    for function in ("triage", "act", "dead_letter"):
        assert rig._call(function, body, {}) == 204
    rig.post(body, secret="whsec_wrong")
    nothing_leaked(recorded)


def test_a_query_is_told_by_its_tables_and_rows_not_by_its_text(recorded: Recorded, tmp_path: Path) -> None:
    class Asked:
        def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
            return QueryResult(("email",), [{"email": marked("row")}], ("zendesk.tickets",), False, 3)

    def asks(job: Job, findings: Findings) -> None:
        job.sources.sql(f"SELECT * FROM zendesk.tickets WHERE email = '{MARK}@buyer.example'", timeout_s=1.0)
        finds_marked(job, findings)

    with Rig(tmp_path, telemetry=recorded.watch) as rig:
        rig._sources = lambda org: Asked()  # type: ignore[assignment, return-value]
        rig.playbook.specialists = [ScriptedSpecialist(each.name, asks) for each in rig.playbook.specialists]
        rig.post(event(rig, "test.created"))
        # The functions got their ports when they were first called; those of the specialist only now.
        rig.pump()
    (query, *_) = recorded.named("sources.sql")
    assert dict(query.attributes or {}) == {
        "manthan.tables": "zendesk.tickets",
        "manthan.rows": 1,
        "manthan.truncated": 0,
    }
    nothing_leaked(recorded)


def test_an_argument_is_told_only_if_its_type_or_name_is_listed(rig: Rig) -> None:
    case = rig.to_approval()
    mail: Action = next(action for action in case.actions if action.kind.value == "customer_email")
    assert told_of(("org", "texts", "text"), (ORG, {"hash": MARK}, MARK)) == {"org": ORG}
    assert set(told_of(("action",), (mail,))) == {"action_id", "action_kind"}
    assert mail.target not in str(told_of(("action",), (mail,)))


@pytest.fixture
def aperture(tmp_path: Path, recorded: Recorded) -> Iterator[Stage]:
    with Stage(load_world(find_world("aperture")), tmp_path, telemetry=recorded.watch) as stage:
        yield stage


def test_a_whole_world_through_the_real_analysts_and_effects(aperture: Stage, recorded: Recorded) -> None:
    play(aperture)
    assert {"sources.sql", "effects.perform", "analyst.synthesize"} <= {span.name for span in recorded.spans}
    found = recorded.everything()
    for word in personal(aperture):
        assert word not in found, f"{word!r} was let out"


def personal(stage: Stage) -> set[str]:
    """Every address, and every sentence of a text, in the world's tables, its members and what was sent."""
    texts = list(_texts([list(rows) for rows in stage.world.tables().values()]))
    texts += [text for member in stage.world.org.members for text in (member.email, member.name)]
    for case in stage.cases():
        texts += list(_texts(case.model_dump(mode="json")["actions"]))
    addresses = {address for text in texts for address in re.findall(r"[\w.+-]+@[\w-]+\.\w+", text)}
    sentences = {text for text in texts if text.count(" ") >= 2}
    assert addresses
    assert sentences
    return addresses | sentences


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def test_a_watch_without_spans_lets_nothing_out_either(tmp_path: Path, recorded: Recorded) -> None:
    with Rig(tmp_path, telemetry=Watch()) as rig:
        with_marks(rig)
        rig.post(event(rig, "test.created"))
        rig.pump()
    assert recorded.spans == []
    assert MARK not in recorded.everything()
