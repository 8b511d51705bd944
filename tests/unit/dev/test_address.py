"""Other commands find a running dev through its folder, and the secret stays with its owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.dev.address import FILE, Address, keep_secret

SECRET = "whsec_not_for_others"


def address(data: Path) -> Address:
    return Address(
        world="aperture",
        functions={"triage": "http://127.0.0.1:8702/"},
        webhook="http://127.0.0.1:8701/webhooks/stripe",
        stripe="http://127.0.0.1:8709",
        data=str(data),
        secret_file=str(keep_secret(data, SECRET)),
    )


def test_what_is_posted_can_be_read_and_does_not_hold_the_secret(tmp_path: Path) -> None:
    posted = address(tmp_path)
    posted.post_up()
    found = Address.read(tmp_path)
    assert found == posted
    assert found.secret == SECRET
    assert SECRET not in (tmp_path / FILE).read_text()
    assert SECRET not in repr(posted)


def test_only_its_owner_can_read_the_secret_also_where_an_open_file_was_before(tmp_path: Path) -> None:
    (tmp_path / "webhook-secret").write_text("whsec_old")
    path = keep_secret(tmp_path, SECRET)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().strip() == SECRET


def test_taking_it_down_leaves_nothing(tmp_path: Path) -> None:
    posted = address(tmp_path)
    posted.post_up()
    posted.take_down()
    assert list(tmp_path.iterdir()) == []
    assert Address.read(tmp_path) is None


@pytest.mark.parametrize("text", ["{", "[]", '{"world": "aperture"}', "null"])
def test_what_cannot_be_read_is_no_address(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert Address.read(tmp_path) is None
