"""Several processes on one file, and one that dies in the middle of its work."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

from infra.local.database import Database
from tests.unit.local.conftest import child

WRITE_FOR_EVER = """
import sys, threading
from infra.local.database import Database
database = Database(sys.argv[1])
say = threading.Lock()
def work(lane):
    for n in range(10**9):
        database.write(lambda c: c.execute("INSERT INTO settings VALUES (?, ?, '')", (lane, f"{n:09}")))
        with say:
            print(lane, n, flush=True)
for lane in "abcd":
    threading.Thread(target=work, args=(lane,)).start()
"""

COUNT = """
import sys
from infra.local.database import Database
def add(connection):
    (value,) = connection.execute("SELECT value FROM settings WHERE org = 'count'").fetchone()
    connection.execute("UPDATE settings SET value = ?", (str(int(value) + 1),))
with Database(sys.argv[1]) as database:
    for _ in range(int(sys.argv[2])):
        database.write(add)
"""

OPEN = """
import sys
from infra.local.database import Database
print("ready", flush=True)
sys.stdin.readline()
with Database(sys.argv[1]) as database:
    database.write(lambda c: c.execute("INSERT INTO settings VALUES (?, 'n', '')", (sys.argv[2],)))
"""


def test_every_acknowledged_write_is_there_after_the_writer_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    Database(path).close()
    with child(WRITE_FOR_EVER, path) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().split() for _ in range(400)]
        process.kill()
        # What it had already said when it died counts as well; the last line may be cut.
        acknowledged += [line.split() for line in process.stdout if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    with Database(path) as database:
        found = database.read(lambda c: c.execute("SELECT org, name FROM settings").fetchall())
        assert database.read(lambda c: c.execute("PRAGMA integrity_check").fetchone()) == ("ok",)
    there = {(lane, int(number)) for lane, number in found}
    assert len(acknowledged) >= 400
    assert {(lane, int(number)) for lane, number in acknowledged} <= there
    for lane in "abcd":
        mine = sorted(number for other, number in there if other == lane)
        assert mine == list(range(len(mine)))


def test_two_processes_that_write_lose_none_of_each_others_changes(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with Database(path) as database:
        database.write(lambda c: c.execute("INSERT INTO settings VALUES ('count', 'n', '0')"))
        with child(COUNT, path, 150) as one, child(COUNT, path, 150) as two:
            for _ in range(50):
                database.write(lambda c: c.execute("UPDATE settings SET value = CAST(value + 1 AS TEXT)"))
        assert (one.returncode, two.returncode) == (0, 0)
        assert database.read(lambda c: c.execute("SELECT value FROM settings").fetchone()) == ("350",)


def test_processes_that_open_a_new_file_at_the_same_moment_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with ExitStack() as stack:
        processes = [stack.enter_context(child(OPEN, path, f"org-{n}")) for n in range(4)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
    assert [process.returncode for process in processes] == [0] * 4
    with Database(path) as database:
        assert database.read(lambda c: c.execute("SELECT count(*) FROM settings").fetchone()) == (4,)
