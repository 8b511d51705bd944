"""`manthan rules`: what the rule base says about a dispute code, and every code and number that it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.lazy import Entry, LazyGroup
from infra.cli.output import Exit, Screen
from shared.errors import NotFound

if TYPE_CHECKING:
    from shared.playbooks.disputes.codes import NetworkCode
    from shared.playbooks.disputes.figures import Figure

COMMANDS = {
    "show": Entry("infra.cli.rules:show", "Explain a dispute code or one of Stripe's reasons."),
    "remedies": Entry("infra.cli.remedies:remedies", "Which actions carry out a decision in which state, or why not."),
    "list": Entry("infra.cli.rules:list_rules", "List the codes, or with --figures the numbers."),
}
_FALLS_BACK = "a code that is not known is judged by Stripe's reason, and that as general where it is not known either"


@click.group(cls=LazyGroup, entries=COMMANDS)
def rules() -> None:
    """What the rule base holds: dispute codes and numbers, each with its source and date."""


@click.command()
@click.argument("code")
@click.option(
    "--network", help="Only this network's: visa, mastercard, amex, discover, klarna, paypal, ach, ... or any."
)
@options.as_json
def show(code: str, network: str | None, as_json: bool) -> Exit:
    """Explain CODE: what it claims, what decides it, where we stand by default, and where that is written.

    \b
    Examples:
      manthan rules show 13.3
      manthan rules show 4863 --network mastercard
      manthan rules show product_not_received --json

    Ends with 2 for a code that is not known, naming what looks like it.
    """
    from shared.playbooks.disputes.codes import named, near

    found = named(code, network)
    if not found:
        alike = ", ".join(near(code)) or "none"
        raise NotFound(f"the rule base knows no code {code!r}: {_FALLS_BACK}, with less confidence. Alike: {alike}")
    screen = Screen(as_json)
    screen.emit({"rules": [_rule_json(rule) for rule in found], "falls_back": _FALLS_BACK})
    for rule in found:
        _show_rule(screen, rule)
    return Exit.FINE


@click.command("list")
@click.option("--network", help="Only the codes of this network.")
@click.option("--family", help="Only the codes of this claim family, e.g. fraud.")
@click.option("--figures", is_flag=True, help="The numbers instead: windows, fees, programmes, limits.")
@options.as_json
def list_rules(network: str | None, family: str | None, figures: bool, as_json: bool) -> Exit:
    """List what the rule base holds.

    \b
    Examples:
      manthan rules list --network amex
      manthan rules list --family fraud --json
      manthan rules list --figures
    """
    screen = Screen(as_json)
    if figures:
        from shared.playbooks.disputes.figures import FIGURES

        screen.emit({"figures": [_figure_json(figure) for figure in FIGURES.values()]})
        for figure in FIGURES.values():
            _show_figure(screen, figure)
        return Exit.FINE
    found = _chosen(network, family)
    screen.emit({"rules": [_rule_json(rule) for rule in found], "falls_back": _FALLS_BACK})
    for rule in found:
        screen.show(f"{rule.network:<11} {rule.code:<40} {rule.family.value:<22} {rule.meaning}")
    return Exit.FINE


def _chosen(network: str | None, family: str | None) -> list[NetworkCode]:
    from shared.playbooks.disputes.codes import CODES, NETWORKS, Family, network_name

    if network is not None and network_name(network) not in NETWORKS:
        raise NotFound(f"no network {network!r}; networks: {', '.join(sorted(NETWORKS))}")
    if family is not None and family not in {known.value for known in Family}:
        raise NotFound(f"no claim family {family!r}; families: {', '.join(known.value for known in Family)}")
    return [
        rule
        for rule in CODES.values()
        if network in (None, rule.network) or network_name(network) == rule.network
        if family in (None, rule.family.value)
    ]


def _rule_json(rule: NetworkCode) -> dict[str, Any]:
    return {
        "network": rule.network,
        "code": rule.code,
        "family": rule.family.value,
        "meaning": rule.meaning,
        "stance": rule.stance,
        "evidence_fields": list(rule.evidence_fields),
        "refined_by": sorted(rule.refined_by),
        "source": rule.origin.model_dump(),
    }


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {**figure.model_dump(), "source": figure.source.model_dump()}


def _show_rule(screen: Screen, rule: NetworkCode) -> None:
    from infra.cli.text import wrapped

    screen.show(f"{rule.network} {rule.code}: {rule.meaning}", bold=True)
    refined = f"; refined by Stripe's reason: {', '.join(sorted(rule.refined_by))}" if rule.refined_by else ""
    for label, told in (
        ("claims", f"{rule.family.value}{refined}"),
        ("stance", rule.stance),
        ("decisive", ", ".join(rule.evidence_fields) or "nothing that we could send"),
        ("without it", _FALLS_BACK),
        ("source", rule.source),
    ):
        screen.show(wrapped(f"{label}: {told}", 2, 4))


def _show_figure(screen: Screen, figure: Figure) -> None:
    from infra.cli.text import wrapped

    screen.show(f"{figure.id} = {figure.value:,} {figure.unit}", bold=True)
    screen.show(wrapped(f"{figure.meaning}. {figure.source}", 2))
