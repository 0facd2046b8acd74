"""A full disk is known by the number of the error, by PostgreSQL's state, and by what caused an error."""

import errno
import json
from pathlib import Path

import pytest

from pabal.base import disk, telemetry
from pabal.base.database import Database, DatabaseError
from pabal.base.disk import DiskFull
from pabal.base.sql import Statement
from tests.support.disk import cramped


def raise_for(text: str, state: str) -> Statement:
    body = f"begin raise exception '{text}' using errcode = '{state}'; end"
    return Statement("fail", f"do $$ {body} $$", ())


def test_what_the_kernel_answers_when_there_is_no_room_is_a_full_disk(tmp_path: Path):
    with pytest.raises(OSError, match="No space left") as full, Path("/dev/full").open("wb", buffering=0) as file:
        file.write(b"x")
    with pytest.raises(OSError, match="File too large") as grown, cramped(10):
        (tmp_path / "file").write_bytes(b"x" * 11)
    wrapped = RuntimeError("upload failed")
    wrapped.__cause__ = full.value

    assert [disk.is_full(one) for one in (full.value, grown.value, wrapped)] == [True, True, True]
    assert disk.is_full(OSError(errno.EDQUOT, "over"))


async def test_postgresql_says_it_by_its_state_and_of_a_quota_in_words(db: Database):
    given = [
        ("could not extend file", "53100", True),
        ("could not write to file: Disk quota exceeded", "58030", True),
        ("could not extend file: Disk quota exceeded", "XX000", True),
        ("a template called No space left on device", "23505", False),
        ("something else", "58030", False),
    ]
    for text, state, expected in given:
        async with db.transaction() as tx:
            with pytest.raises(DatabaseError) as raised:
                async with tx.savepoint():
                    await tx.run(raise_for(text, state))

        assert disk.is_full(raised.value) is expected, (text, state)


def test_other_errors_are_none():
    others = (OSError(errno.EACCES, "No space left on device"), ValueError("No space left on device"), None)

    assert [disk.is_full(one) for one in others] == [False, False, False]


def test_the_log_is_told_once_a_minute_for_each_place(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    now = 1000.0
    monkeypatch.setattr(disk, "elapsed", lambda: now)
    telemetry.start_logging(level="info", json_lines=True)
    made = [disk.name_full(where, OSError(errno.ENOSPC, "full")) for where in ("here", "here", "there")]
    now += disk.TOLD_AGAIN_SECONDS
    made.append(disk.name_full("here", "no room\nand much more"))
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    telemetry.start_logging(level="warning")

    assert {type(one) for one in made} == {DiskFull}
    assert [(one["event"], one["where"]) for one in told] == [
        ("disk.filled", "here"),
        ("disk.filled", "there"),
        ("disk.filled", "here"),
    ]
    assert told[-1]["error"] == "no room"
