"""`pabal msg delivery`: the log, one send by the first letters of its id, and what can still be done."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import ids
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.cli.inside import Inside
from tests.support.messaging import World, add_schedule


@pytest.fixture
async def numbers(db: Database, world: World) -> list[int]:
    """One sent, one missed, one cut off after its text."""
    async with db.transaction() as tx:
        now = tx.now
    rows = [
        ended("sent", now - timedelta(hours=5)),
        ended("missed", now - timedelta(hours=2), reason="bot_offline"),
        ended("partial", now - timedelta(hours=1), reason="bot_error"),
    ]
    made = await add_deliveries(db, await add_schedule(world), rows)
    for number, states in zip(made, (("written",), ("planned",), ("written", "planned")), strict=True):
        await add_parts(db, number, *states)
    return made


async def test_the_log_is_filtered_and_says_why(run: Inside, numbers: list[int]) -> None:
    whole = await run("msg", "delivery", "list", "--lang", "ko")
    some = await run(
        "msg", "delivery", "list", "--state", "missed", "--since", "-3h", "--room", "18200001", "-o", "json"
    )
    older = await run("msg", "delivery", "list", "--until", "-3h", "--schedule", "아침 인사", "-o", "json")

    assert [line.split()[2] for line in whole.out.splitlines()[1:]] == ["일부", "놓침", "성공"]
    assert "글 ✓ · 그림 1 ✕" in whole.out
    assert [(one["state"], one["why"]) for one in some.json["items"]] == [("missed", "Bot ‘busan1’ was not connected.")]
    assert [one["state"] for one in older.json["items"]] == ["sent"]


async def test_the_rest_is_sent_once_and_a_missed_one_is_set_aside(run: Inside, numbers: list[int]) -> None:
    sent, missed, partial = (ids.show("dlv", number) for number in numbers)

    tried = await run("msg", "delivery", "resume", partial, "--dry-run", "-o", "json")
    resumed = await run("msg", "delivery", "resume", partial, "-o", "json")
    under_way = await run("msg", "delivery", "list", "--open", "-o", "json")
    dismissed = await run("msg", "delivery", "dismiss", missed)
    wrong = await run("msg", "delivery", "resume", sent, "--lang", "ko")

    assert (tried.json["state"], resumed.json["state"]) == ("open", "open")
    assert [(one["delivery"], one["place"], one["written"], one["parts"]) for one in under_way.json["items"]] == [
        (partial, "waiting_for_bot", 1, 2)
    ]
    assert dismissed.code == 0
    assert (wrong.code, "다음  pabal msg delivery list" in wrong.err) == (5, True)


async def test_an_id_may_be_shortened_while_it_is_the_only_one(run: Inside, numbers: list[int]) -> None:
    whole = ids.show("dlv", numbers[2])

    shown = await run("msg", "delivery", "show", whole.removeprefix("dlv_"), "-o", "json")
    unclear = await run("msg", "delivery", "show", whole[:6])
    wrong = [(await run("msg", "delivery", "show", text)).code for text in ("dlv_zzz", "no id!")]

    assert shown.json["id"] == whole
    assert (unclear.code, wrong) == (5, [3, 3])
