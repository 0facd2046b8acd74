"""`pabal lanes`: shared lanes, and letting more or fewer of one go at once."""

from pabal.base.database import Database
from pabal.engine import widths
from tests.cli.inside import Inside
from tests.support.people import Tree
from tests.support.work import enqueue, places


async def test_a_lane_is_made_wider_and_set_back(db: Database, run: Inside, tree: Tree) -> None:
    nothing = await run("lanes", "list", "--lang", "ko")
    await widths.declare_all(db, {"licence": 1})
    made = [await enqueue(db, lane="licence:ae") for _ in range(3)]

    wider = (await run("lanes", "resize", "licence:ae", "2", "-o", "json")).json
    listed = (await run("lanes", "list", "-o", "json")).json["items"]
    seen = await places(db, *made)
    await run("lanes", "reset", "licence:ae")
    shown = (await run("lanes", "show", "licence:ae", "-o", "json")).json

    assert "나누어 쓰는 줄이 없습니다" in nothing.err
    assert (wider["width"], wider["chosen"]) == (2, 2)
    assert [(one["name"], one["width"], one["waiting"]) for one in listed] == [("licence", 1, 0), ("licence:ae", 2, 1)]
    assert seen == ["ready", "ready", "waiting"]
    assert (shown["width"], shown["chosen"], shown["waiting"]) == (1, None, 2)


async def test_an_ordered_lane_is_not_found(db: Database, run: Inside, tree: Tree) -> None:
    refused = await run("lanes", "resize", "bot:busan1", "2")

    assert refused.code != 0
    assert "lane_not_found" in refused.err or "shared lane" in refused.err
