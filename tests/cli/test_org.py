"""`pabal org`: the tree is shown, grown and pruned, and the audit knows who did it."""

from pabal.base.database import Database
from pabal.platform import audit
from tests.cli.inside import Inside
from tests.support.people import Tree


async def names(run: Inside) -> list[str]:
    return [unit["name"] for unit in (await run("org", "tree", "-o", "json")).json["items"]]


async def test_the_tree_is_drawn_with_each_unit_below_its_parent(run: Inside, tree: Tree) -> None:
    told = await run("org", "tree", "--lang", "ko")
    part = (await run("org", "tree", "--org", "부산총판", "-o", "plain")).out.splitlines()

    lines = told.out.splitlines()
    assert "본사" in lines[1]
    assert "    해운대점" in told.out
    assert "지점" in told.out
    assert [line.split("\t")[1].strip() for line in part] == ["부산총판", "남포점", "해운대점"]


async def test_a_unit_is_added_renamed_moved_and_removed_by_name_or_number(run: Inside, tree: Tree) -> None:
    made = (await run("org", "add", "수영점", "--level", "branch", "--below", "부산총판", "-o", "json")).json
    renamed = (await run("org", "rename", str(made["id"]), "광안점", "-o", "json")).json
    moved = (await run("org", "move", "광안점", "--below", "서울총판", "-o", "json")).json
    removed = await run("org", "remove", "광안점", "--yes")

    assert (made["parent_id"], made["level"]) == (tree.busan.id, "branch")
    assert renamed["name"] == "광안점"
    assert moved["parent_id"] == tree.seoul.id
    assert removed.code == 0
    assert "광안점" not in await names(run)


async def test_the_audit_names_whoever_sat_at_the_terminal(db: Database, run: Inside, tree: Tree) -> None:
    await run("org", "rename", "강남점", "역삼점")

    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="units.rename"))
    assert entry.actor.startswith("cli:")
    assert (entry.origin, entry.before, entry.after) == ("cli", {"name": "강남점"}, {"name": "역삼점"})


async def test_a_dry_run_shows_what_would_be_and_changes_nothing(db: Database, run: Inside, tree: Tree) -> None:
    before = await names(run)

    tried = await run("org", "add", "수영점", "--level", "branch", "--dry-run", "-o", "json")
    removed = await run("org", "remove", "강남점", "--dry-run")

    assert tried.json["name"] == "수영점"
    assert "--dry-run" in tried.err
    assert removed.code == 0
    assert await names(run) == before
    async with db.transaction() as tx:
        assert await audit.list_entries(tx, audit.Wanted(action="units.remove")) == []


async def test_what_cannot_be_is_refused_with_the_next_command(run: Inside, tree: Tree) -> None:
    unknown = await run("org", "rename", "대구점", "x")
    full = await run("org", "remove", "부산총판", "--yes", "--lang", "ko")
    unasked = await run("org", "remove", "강남점")
    upside = await run("org", "add", "x", "--level", "distributor", "--below", "강남점")

    assert [unknown.code, full.code, unasked.code, upside.code] == [3, 5, 4, 2]
    assert "pabal org tree" in unknown.err
    assert "이 조직에 딸린" in full.err
    assert "--yes" in unasked.err


async def test_a_name_that_two_units_have_asks_for_the_number(run: Inside, tree: Tree) -> None:
    await run("org", "add", "강남점", "--level", "branch", "--below", "부산총판")

    told = await run("org", "rename", "강남점", "x")

    assert told.code == 5
    assert f"{tree.gangnam.id} 강남점" in told.err
