"""`pabal ad serving`: how what ad servers read stands; a check and a rebuild are asked of a server."""

from pabal.apps.adgroups.serving import actions
from pabal.base.database import Database
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside


async def test_without_an_address_it_says_so_and_asks_nothing(run: Inside, world: World) -> None:
    shown = await run("ad", "serving", "status")
    asked = await run("ad", "serving", "rebuild", "--lang", "ko")

    assert "PABAL_SERVING_URL" in shown.err
    assert (shown.code, asked.code) == (0, 5)


async def test_a_check_and_a_rebuild_become_jobs_of_a_server(run: Inside, world: World, db: Database) -> None:
    async with db.transaction() as tx:
        await actions.announce(tx, is_wanted=True)

    shown = await run("ad", "serving", "status", "-o", "json")
    tried = await run("ad", "serving", "check", "--dry-run", "-o", "json")
    checked = await run("ad", "serving", "check", "-o", "json")
    rebuilt = await run("ad", "serving", "rebuild", "-o", "json")
    jobs = await run("jobs", "list", "-o", "json")

    assert (shown.json["is_wanted"], shown.json["running"], shown.json["checks"]) == (True, 1, [])
    # the first address already asked for a rebuild; a check that was only tried is not kept
    assert (tried.json["is_new"], checked.json["is_new"], rebuilt.json["is_new"]) == (True, True, False)
    assert sorted(one["kind"] for one in jobs.json["items"]) == ["adgroups.check_serving", "adgroups.rebuild_serving"]
