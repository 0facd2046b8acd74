"""`pabal token`: a secret is printed once, and works until it is over."""

from pabal.base.database import Database
from pabal.platform import auth
from tests.cli.inside import Inside
from tests.support.people import Tree


async def test_a_made_token_works_and_with_plain_its_secret_is_alone(db: Database, run: Inside, tree: Tree) -> None:
    made = await run("token", "make", "report", "--scope", "jobs:read", "--org", "강남점", "-o", "plain")

    actor = await auth.find_token(db, made.out.strip())
    assert made.out.count("\n") == 1
    assert actor is not None
    assert (actor.unit_id, actor.role, actor.scopes) == (tree.gangnam.id, "viewer", ("jobs:read",))
    assert made.out.strip() not in (await run("token", "list", "-o", "json")).out


async def test_a_rotated_token_has_two_secrets_for_a_while(db: Database, run: Inside, tree: Tree) -> None:
    old = (await run("token", "make", "report", "--scope", "jobs:read", "-o", "json")).json
    new = (await run("token", "rotate", str(old["id"]), "--overlap", "1h", "-o", "json")).json

    listed = (await run("token", "list", "-o", "json")).json["items"]
    assert await auth.find_token(db, old["secret"]) is not None
    assert await auth.find_token(db, new["secret"]) is not None
    assert {one["id"]: one["state"] for one in listed} == {old["id"]: "rotating", new["id"]: "active"}


async def test_a_revoked_token_is_over_and_cannot_be_revoked_again(db: Database, run: Inside, tree: Tree) -> None:
    made = (await run("token", "make", "report", "--scope", "*:manage", "--role", "admin", "-o", "json")).json

    unasked = await run("token", "revoke", str(made["id"]))
    revoked = await run("token", "revoke", str(made["id"]), "--yes", "-o", "json")
    again = await run("token", "revoke", str(made["id"]), "--yes")

    assert (unasked.code, revoked.json["state"], again.code) == (4, "revoked", 5)
    assert await auth.find_token(db, made["secret"]) is None


async def test_a_dry_run_makes_no_token_and_shows_no_secret(run: Inside, tree: Tree) -> None:
    tried = await run("token", "make", "report", "--scope", "jobs:read", "--dry-run", "-o", "json")

    assert "secret" not in tried.json
    assert (await run("token", "list", "-o", "json")).json["items"] == []


async def test_what_is_wrong_is_named(run: Inside, tree: Tree) -> None:
    scope = await run("token", "make", "x", "--scope", "everything")
    span = await run("token", "make", "x", "--scope", "jobs:read", "--for", "9999d", "--lang", "ko")
    number = await run("token", "revoke", "five", "--yes")
    unknown = await run("token", "rotate", "5")

    assert [scope.code, span.code, number.code, unknown.code] == [2, 2, 2, 3]
    assert "bad_scope" in scope.err
    assert "토큰은 400일" in span.err
    assert "pabal token list" in unknown.err


async def test_it_says_which_role_it_gave_and_how_to_give_another(run: Inside, tree: Tree) -> None:
    plain = await run("token", "make", "report", "--scope", "messaging:write", "-o", "plain")
    korean = await run("token", "make", "report", "--scope", "*:manage", "--role", "admin", "--lang", "ko")

    assert "viewer" in plain.err
    assert "--role" in plain.err
    assert "‘관리’" in korean.err
