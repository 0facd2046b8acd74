"""`pabal user`: people are added, changed and let in."""

from pabal.base.database import Database
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import Caller, NewUser, User
from tests.cli.inside import Inside
from tests.support.people import Tree


async def add(db: Database, login: str, *, unit_id: int, role: Role = Role.OPERATOR) -> User:
    async with db.transaction() as tx:
        return await auth.add_user(tx, ENGINE, NewUser(login, f"{login} name", unit_id, role))


async def get(db: Database, user: User) -> User:
    async with db.transaction() as tx:
        return await auth.get_user(tx, await tenants.visible_to(tx, ENGINE), user.id)


async def sign_in(db: Database, url: str) -> str:
    async with db.transaction() as tx:
        return (await auth.use_link(tx, url.rpartition("/")[2], Caller())).user.login


async def test_a_login_is_found_among_any_number_that_hold_it(db: Database, run: Inside, tree: Tree) -> None:
    async with db.transaction() as tx:
        rows = [(tree.haeundae.id, f"a.kim.{number}", "x", "viewer", "ko", tx.now) for number in range(1001)]
        columns = ("unit_id", "login", "name", "role", "language", "created_at")
        await tx.copy("pabal.user_account", columns, rows)
    kim = await add(db, "kim", unit_id=tree.haeundae.id)

    found = await run("user", "show", " Kim ", "-o", "json")
    part = await run("user", "show", "a.kim")

    assert (found.json["id"], part.code) == (kim.id, 3)


async def test_people_are_listed_by_login_in_pages_and_by_unit(db: Database, run: Inside, tree: Tree) -> None:
    await add(db, "kim", unit_id=tree.haeundae.id)
    await add(db, "lee", unit_id=tree.gangnam.id, role=Role.VIEWER)

    first = (await run("user", "list", "--limit", "1", "-o", "json")).json
    rest = (await run("user", "list", "--cursor", first["next_cursor"], "-o", "json")).json
    busan = (await run("user", "list", "--org", "부산총판", "-o", "json")).json
    table = await run("user", "list", "--role", "viewer", "--lang", "ko")

    assert [one["login"] for one in (*first["items"], *rest["items"])] == ["kim", "lee"]
    assert [one["login"] for one in busan["items"]] == ["kim"]
    assert "강남점" in table.out
    assert "○ 초대함" in table.out


async def test_a_new_person_gets_an_address_that_signs_in_once(db: Database, run: Inside, tree: Tree) -> None:
    added = await run("user", "add", "park", "--name", "박운영", "--role", "operator", "--org", "해운대점")
    link = await run("user", "link", "park", PABAL_PUBLIC_URL="https://pabal.example.com")

    assert "pabal user link park" in added.err
    assert link.out.startswith("https://pabal.example.com/sign-in/link/")
    assert link.out.count("\n") == 1
    assert await sign_in(db, link.out.strip()) == "park"


async def test_without_a_public_address_the_link_is_the_web_servers(db: Database, run: Inside, tree: Tree) -> None:
    await add(db, "kim", unit_id=tree.haeundae.id)

    link = (await run("user", "link", "kim", "-o", "json", PABAL_HOST="0.0.0.0", PABAL_PORT="9000")).json

    assert link["url"].startswith("http://127.0.0.1:9000/sign-in/link/")


async def test_only_what_is_named_is_changed(db: Database, run: Inside, tree: Tree) -> None:
    kim = await add(db, "kim", unit_id=tree.haeundae.id)

    edited = (await run("user", "edit", "kim", "--role", "viewer", "--org", "강남점", "-o", "json")).json
    shown = (await run("user", "show", str(kim.id), "-o", "json")).json

    assert (edited["role"], edited["unit_id"], edited["name"]) == ("viewer", tree.gangnam.id, "kim name")
    assert shown == edited


async def test_who_is_deactivated_may_come_back_by_an_edit(db: Database, run: Inside, tree: Tree) -> None:
    kim = await add(db, "kim", unit_id=tree.haeundae.id)

    gone = await run("user", "deactivate", "kim", "--yes", "-o", "json")
    refused = await run("user", "link", "kim")
    back = await run("user", "edit", "kim", "--active", "-o", "json")

    assert gone.json["state"] == "inactive"
    assert "pabal user edit USER --active" in refused.err
    assert back.json["state"] == "invited"
    assert (await get(db, kim)).is_active


async def test_a_reset_password_is_void_and_the_address_is_printed(db: Database, run: Inside, tree: Tree) -> None:
    kim = await add(db, "kim", unit_id=tree.haeundae.id)
    await auth.change_password(db, kim.actor(), current=None, new="long enough indeed", keep=None)

    reset = await run("user", "reset-password", "kim", "--yes", "-o", "plain")

    assert not (await get(db, kim)).has_password
    assert await sign_in(db, reset.out.strip()) == "kim"


async def test_a_dry_run_prints_no_address_and_changes_nobody(db: Database, run: Inside, tree: Tree) -> None:
    kim = await add(db, "kim", unit_id=tree.haeundae.id)

    link = await run("user", "link", "kim", "--dry-run")
    await run("user", "deactivate", "kim", "--dry-run")
    added = await run("user", "add", "park", "--name", "박", "--dry-run", "-o", "json")

    assert link.out == ""
    assert "--dry-run" in link.err
    assert added.json["login"] == "park"
    assert await get(db, kim) == kim
    assert (await run("user", "show", "park")).code == 3


async def test_the_last_administrator_stays(db: Database, run: Inside, tree: Tree) -> None:
    await add(db, "boss", unit_id=tree.hq.id, role=Role.ADMIN)

    told = await run("user", "deactivate", "boss", "--yes", "-o", "json")

    assert told.code in (4, 5)
    assert '"code": "last_admin"' in told.err
    assert (await run("user", "show", "nobody")).code == 3
