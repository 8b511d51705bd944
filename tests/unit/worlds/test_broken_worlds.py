"""A broken world is refused with the file, the line and what is expected there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.worlds import load_world
from shared.errors import InvalidInput
from tests.unit.worlds.conftest import EVENT, FILES, MANIFEST, POLICY, REQUEST, Write


def refusal(root: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_world(root)
    return str(caught.value)


def manifest(old: str, new: str) -> dict[str, str | None]:
    assert old in MANIFEST
    return {"world.yaml": MANIFEST.replace(old, new)}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title: A small world\n", "", "small/world.yaml:1: title: is missing"),
        ("title:", "titel:", "small/world.yaml:2: titel: unknown key; the keys here are: name, title, now, org"),
        (
            "  id: shop\n",
            "  id: shop\n  colour: red\n",
            "small/world.yaml:6: org.colour: unknown key; the keys",
        ),
        ("role: viewer", "role: boss", "small/world.yaml:12: org.members.2.role: Input should be 'admin', 'approver'"),
        ("name: Cy,", "", "small/world.yaml:12: org.members.2.name: is missing"),
        (
            "Europe/Berlin",
            "Europe/Berlinn",
            "small/world.yaml:7: org.timezone: 'Europe/Berlinn' is not an IANA",
        ),
        (
            "Europe/Berlin",
            "../etc/passwd",
            "small/world.yaml:7: org.timezone: '../etc/passwd' is not an IANA",
        ),
        ("currency: usd", "currency: dollars", "small/world.yaml:6: org.currency: 'dollars' is not a three-letter"),
        ("currency: usd", "currency: USD", "small/world.yaml:6: org.currency: write the code in lower case: usd"),
        ('"1.08"', "1.08", "small/world.yaml:8: 1.08 is a number with a fraction: write it in quotes"),
        ('"1.08"', '"0"', "small/world.yaml:8: org.fx.eur: a rate is greater than zero"),
        ('"1.08"', '"one"', "small/world.yaml:8: org.fx.eur: a rate is a whole number or decimal text"),
        ("gbp: 2", "gbp: true", "small/world.yaml:8: org.fx.gbp: a rate is a whole number or decimal text"),
        ("eur:", "usd:", "small/world.yaml:4: org: fx holds other currencies only; usd is the org's own"),
        ("12:00:00Z", "12:00:00", "small/world.yaml:3: now: Input should have timezone info"),
        ("2026-05-08T12:00:00Z", "2026-13-08T12:00:00Z", "small/world.yaml: not valid YAML: month must be in 1..12"),
        (
            "limit_minor: 50000",
            "limit_minor: '50000'",
            "small/world.yaml:11: org.members.1.limit_minor: Input should",
        ),
        (", limit_minor: 50000", "", "small/world.yaml:11: org.members.1: who approves needs a limit_minor"),
        ("ben@shop.example", "ANA@shop.example", "small/world.yaml:4: org: members holds ana@shop.example twice"),
        ("ben@shop.example", "ben", "small/world.yaml:11: org.members.1.email: 'ben' is not an e-mail address"),
        ("scale: 1", "scale: 1000", "small/world.yaml:13: noise.scale: Input should be less than or equal to 20"),
        ("name: small", "name: Small World", "small/world.yaml:1: name: String should match pattern"),
        ("now: ", "now: [", "small/world.yaml:4: not valid YAML"),
        ("title: A small world\n", "title: A\ntitle: B\n", "small/world.yaml:3: the key 'title' is given twice"),
        ("title: A small world", "title: &t A\nalso: *t", "small/world.yaml:2: anchors and aliases are not supported"),
    ],
)
def test_a_fault_in_the_manifest_is_pointed_at(write: Write, old: str, new: str, said: str) -> None:
    assert any(line.startswith(said) for line in refusal(write(manifest(old, new))).splitlines())


def test_all_faults_of_a_manifest_are_told_at_once(write: Write) -> None:
    broken = MANIFEST.replace("role: viewer", "role: boss").replace("title:", "titel:")
    assert len(refusal(write({"world.yaml": broken})).splitlines()) == 3


def test_a_manifest_that_is_a_list_is_told_the_keys(write: Write) -> None:
    assert refusal(write({"world.yaml": "- a\n"})) == (
        "small/world.yaml:1: a mapping with these keys is expected: name, title, now, org, noise, stripe"
    )


def test_a_folder_without_a_manifest_is_no_world(write: Write) -> None:
    assert refusal(write({"world.yaml": None})) == "small/world.yaml: is missing"


def test_a_place_that_is_no_folder_is_no_world(tmp_path: Path) -> None:
    assert "is not a folder" in refusal(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "1"}\n{"id": \n', ":2: not valid JSON at column 8"),
        ('{"id": "1"}\n\n[1]\n', ":3: a row is a JSON object, this is a list"),
        ('{"id": "1"}\n{"id": "1"}\n', ":2: the id '1' is already used on line 1"),
        ('{"id": 7}\n', ":1: an id is text: write it in quotes"),
        ('{"a": 1, "a": 2}\n', ":1: not valid JSON: the key 'a' is given twice"),
        ('{"a": NaN}\n', ":1: not valid JSON: NaN is not a number"),
        ('{"x; drop": 1}\n', ":1: 'x; drop' is not a column name"),
        ('{"ts": "2026-05-08T10:00:00"}\n', ":1: ts: the time 2026-05-08T10:00:00 has no offset"),
    ],
)
def test_a_fault_in_a_row_is_pointed_at(write: Write, text: str, said: str) -> None:
    name = "sources/slack/messages.jsonl"
    assert refusal(write({name: text})).startswith(f"small/{name}{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,text\n1,a\n2\n", ":3: 2 cells are expected as in the first line, here are 1"),
        ("id,id\n1,a\n", ":1: the first line names the columns, each once"),
        ("", ":1: the first line names the columns, each once"),
        ('id\n"a" b\n', ":2: not valid CSV"),
    ],
)
def test_a_fault_in_a_csv_file_is_pointed_at(write: Write, text: str, said: str) -> None:
    name = "sources/slack/messages.csv"
    assert refusal(write({name: text})).startswith(f"small/{name}{said}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sources/slack/messages.parquet", "messages.parquet: not valid Parquet"),
        (
            "sources/slack/messages.xlsx",
            "messages.xlsx: a table is a file named in lower case and ending in one of .csv",
        ),
        ("sources/slack/My Table.jsonl", "My Table.jsonl: a table is a file named in lower case"),
        ("sources/Slack/messages.jsonl", "small/sources/Slack: sources/ holds one folder per schema"),
        ("sources/messages.jsonl", "small/sources/messages.jsonl: sources/ holds one folder per schema"),
        ("sources/stripe/charges.csv", "charges.jsonl: stripe.charges has a second file"),
        ("sources/policies/documents.jsonl", "small/sources/policies: policies are Markdown files"),
        ("source/a.jsonl", "small/source: is no part of a world; a world holds: world.yaml"),
        ("notes.txt", "small/notes.txt: is no part of a world"),
        ("policies/refunds.txt", "refunds.txt: only *.md files are expected in policies/"),
        ("events/deep/01-a.json", "small/events/deep: only *.json files are expected in events/"),
        ("events/created.json", "created.json: files in events/ are named NN-name.json"),
        ("events/01-b.json", "01-created.json: the number 01 is already used by 01-b.json"),
    ],
)
def test_a_file_that_is_out_of_place_is_named(write: Write, name: str, said: str) -> None:
    assert said in refusal(write({name: "-"}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Money back.\n", ":1: a policy starts with front matter"),
        ("---\nid: x\n", ":1: the front matter has no closing line of ---"),
        (POLICY.split("Money")[0], ":11: the policy has no text"),
        (POLICY.replace("current", "valid"), ":4: status: Input should be 'current', 'draft'"),
        (POLICY.replace("url:", "link:"), ":2: url: is missing"),
        (POLICY.replace("url:", "link:"), ":7: link: unknown key; the keys here are: id, title, status"),
        (POLICY.replace("2026-01-01", "soon"), ":5: effective_from: Input should be a valid date"),
        (POLICY.replace("  kind: refund_window\n", ""), ":8: rule: a rule names its kind"),
        (POLICY.replace("30\n", "1.5\n", 1), ":10: 1.5 is a number with a fraction"),
        (POLICY.replace("30\n", "[2026-01-01]\n", 1), ":8: rule: a rule holds text, whole numbers"),
    ],
)
def test_a_fault_in_a_policy_is_pointed_at(write: Write, text: str, said: str) -> None:
    assert f"small/policies/refunds.md{said}" in refusal(write({"policies/refunds.md": text}))


def test_two_policies_do_not_share_an_id(write: Write) -> None:
    said = "small/policies/two.md: the policy id 'refunds' is already used by refunds.md"
    assert refusal(write({"policies/two.md": POLICY})) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps(EVENT), ": the event id 'evt_1' is already used by 01-created.json"),
        (json.dumps(EVENT | {"created": "now"}, indent=1), ":6: created: Input should be a valid integer"),
        (json.dumps(EVENT | {"object": "charge"}, indent=1), ":3: object: Input should be 'event'"),
        (json.dumps(EVENT | {"data": {}}, indent=1), ":8: data.object: is missing"),
        ('{"id": "evt_2",\n "object": }', ":2: not valid JSON at line 2, column 12"),
        ("[]", ":1: one JSON object is expected, this is a list"),
    ],
)
def test_a_fault_in_an_event_is_pointed_at(write: Write, text: str, said: str) -> None:
    assert refusal(write({"events/02-b.json": text})).startswith(f"small/events/02-b.json{said}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"to": "x"}, ":10: to: unknown key; the keys here are: id, channel, received_at, from"),
        ({"currency": None}, ":1: amount_minor and currency are given together"),
        ({"received_at": "2026-05-08T11:00:00"}, ":4: received_at: Input should have timezone info"),
        ({"amount_minor": 0}, ":8: amount_minor: Input should be greater than 0"),
    ],
)
def test_a_fault_in_a_request_is_pointed_at(write: Write, change: dict[str, object], said: str) -> None:
    text = json.dumps(REQUEST | change, indent=1)
    assert refusal(write({"requests/01-mail.json": text})).startswith(f"small/requests/01-mail.json{said}")


def test_two_requests_do_not_share_an_id(write: Write) -> None:
    said = "small/requests/02-b.json: the request id 'req_1' is already used by 01-mail.json"
    assert refusal(write({"requests/02-b.json": json.dumps(REQUEST)})) == said


def test_a_stripe_object_has_an_id_of_its_own(write: Write) -> None:
    said = "small/stripe/charge.json: the object id 'ch_1' is already used by again.json"
    assert refusal(write({"stripe/again.json": FILES["stripe/charge.json"]})) == said
    assert "small/stripe/again.json:1: id: is missing" in refusal(write({"stripe/again.json": "{}"}))


def test_a_dispute_needs_its_charge(write: Write) -> None:
    said = "small/stripe/dispute.json: its charge ch_1 is not among the objects in stripe/"
    assert refusal(write({"stripe/charge.json": None})) == said


def test_a_file_in_the_place_of_a_folder_is_no_part_of_a_world(write: Write) -> None:
    root = write({"requests/01-mail.json": None})
    (root / "requests").rmdir()
    (root / "requests").touch()
    assert refusal(root).startswith("small/requests: is no part of a world")


def test_bytes_that_are_not_text_are_found_by_their_line(write: Write) -> None:
    root = write()
    (root / "sources/stripe/charges.jsonl").write_bytes(b'{"id": "1"}\n{"id": "\xff"}\n')
    assert refusal(root) == "small/sources/stripe/charges.jsonl:2: is not UTF-8 text"


def test_a_row_that_differs_from_its_stripe_object_is_a_contradiction(write: Write) -> None:
    rows = FILES["sources/stripe/charges.jsonl"].replace("9000", "9900")
    assert refusal(write({"sources/stripe/charges.jsonl": rows})) == (
        "small/stripe: stripe.charges: ch_1: amount is 9900 in sources/ and 9000 in stripe/"
    )


@pytest.mark.parametrize("place", ["world.yaml", "sources/stripe/charges.jsonl", "policies", "stripe/dispute.json"])
def test_a_link_that_leads_out_of_the_world_is_refused(write: Write, tmp_path: Path, place: str) -> None:
    root = write()
    outside = tmp_path / "outside"
    (root / place).rename(outside)
    (root / place).symlink_to(outside)
    assert refusal(root).startswith(f"small/{place}: is a link that leads out of the world")


def test_a_link_within_the_world_is_fine(write: Write) -> None:
    root = write()
    (root / "sources/stripe/refunds.jsonl").symlink_to(root / "sources/datadog/monitors.jsonl")
    assert "stripe.refunds" in load_world(root).facts
