"""One life of the product: from a start on whatever the last one left to the end of the world, or to its death."""

from __future__ import annotations

from infra.stage import Stage
from tests.e2e.conftest import approve_all, next_approver


def live(stage: Stage) -> None:
    """Deliver what the world says, approve whenever people are asked, until nothing is left to happen."""
    stage.deliver_events()
    while stage.run(lambda: _asks(stage)):
        approve_all(stage)


def _asks(stage: Stage) -> bool:
    return any(next_approver(stage, case) is not None for case in stage.cases())
