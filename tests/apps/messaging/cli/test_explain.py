"""`pabal msg limits`, `preview` and `load`: what may be sent, how it looks, how busy the servers are."""

from pabal.apps.messaging.model.content import Content
from pabal.base.database import Database
from tests.apps.messaging.history import add_server
from tests.cli.inside import Inside
from tests.support.messaging import World, add_schedule


async def test_a_preview_is_what_is_sent_and_when(run: Inside, world: World) -> None:
    content = Content(text="첫 줄\n둘째 \x1b[31m줄", images_1=(world.picture,), send_interval_seconds=2)
    number = str(await add_schedule(world, content))

    korean = await run("msg", "preview", number, "--lang", "ko")
    whole = await run("msg", "preview", number, "-o", "json")

    lines = korean.out.splitlines()
    assert "  │ 첫 줄" in lines
    assert "  │ 봄.png 8×6 1 kB" in lines
    assert any(line.endswith("그림 1  +2초") for line in lines)
    assert sum("KST" in line for line in lines) == 5
    assert "\x1b" not in korean.out
    assert [(one["component"], one["wait_ms"]) for one in whole.json["bubbles"]] == [("text", 0), ("images_1", 2000)]
    assert len(whole.json["upcoming"]) == 5


async def test_the_budget_of_a_room_is_a_meter(run: Inside, world: World) -> None:
    shown = await run("msg", "limits", "해운대 손님방", "--lang", "ko")
    whole = await run("msg", "limits", "해운대 손님방", "-o", "json")

    assert "24시간 발송 횟수" in shown.out
    assert "░░░░░░░░░░ 0%" in shown.out
    assert {one["name"]: one["most"] for one in whole.json["rows"]}["dispatches_per_day"] == 50
    assert whole.json["binds"] is None


async def test_the_load_of_each_server_stands_beside_its_limits(db: Database, run: Inside, world: World) -> None:
    nobody = await run("msg", "load")
    await add_server(db, memory_mb=700.0, cpu_percent=12.0)

    shown = await run("msg", "load", "--lang", "ko")
    whole = await run("msg", "load", "-o", "json")

    assert (nobody.out, "pabal up" in nobody.err) == ("", True)
    assert "CPU 80%" in shown.err
    [server] = whole.json["items"]
    assert (server["memory_mb"], server["cpu_percent"], whole.json["max_bots"]) == (700.0, 12.0, 100)


async def test_people_read_the_load_with_one_decimal_and_programs_as_it_was_measured(
    db: Database, run: Inside, world: World
) -> None:
    await add_server(db, memory_mb=136.04296875, cpu_percent=3.15625)

    shown = await run("msg", "load")
    whole = await run("msg", "load", "-o", "json")

    cells = shown.out.splitlines()[1].split()
    assert "136" in cells
    assert "3.2" in cells
    [server] = whole.json["items"]
    assert (server["memory_mb"], server["cpu_percent"]) == (136.04296875, 3.15625)
