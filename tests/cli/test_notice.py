"""`pabal notice`: what people were told, in the language asked for."""

from pabal.base.database import Database
from pabal.platform.notifications import Level, notify
from tests.cli.inside import Inside
from tests.support.people import Tree
from tests.support.telegram import notice


async def test_notices_are_listed_newest_first_by_how_loud_they_are(db: Database, run: Inside, tree: Tree) -> None:
    async with db.transaction() as tx:
        await notify(tx, notice(tree.gangnam, level=Level.FAILURE, link="/jobs"))
        await notify(tx, notice(tree.haeundae, level=Level.INFO))

    both = (await run("notice", "list", "-o", "json")).json["items"]
    loud = (await run("notice", "list", "--level", "attention", "-o", "json", "--lang", "ko")).json["items"]
    busan = (await run("notice", "list", "--org", "부산총판", "-o", "json")).json["items"]

    assert [one["level"] for one in both] == ["info", "failure"]
    assert [(one["title"], one["link"][-5:]) for one in loud] == [("발송 실패", "/jobs")]
    assert [one["unit_id"] for one in busan] == [tree.haeundae.id]


async def test_pages_follow_one_another(db: Database, run: Inside, tree: Tree) -> None:
    async with db.transaction() as tx:
        for _ in range(3):
            await notify(tx, notice())

    first = (await run("notice", "list", "--limit", "2", "-o", "json")).json
    rest = (await run("notice", "list", "--limit", "2", "--cursor", first["next_cursor"], "-o", "json")).json

    assert len({one["id"] for one in (*first["items"], *rest["items"])}) == 3
    assert rest["next_cursor"] is None
