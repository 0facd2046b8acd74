"""Units, users, tokens, sessions and oneself through the API."""

from datetime import timedelta

from pabal.platform.actor import Role
from tests.support.web import Web


async def test_a_token_is_made_used_rotated_and_revoked(web: Web):
    admin = await web.as_("gangnam")
    async with web.db.transaction() as tx:
        until = (tx.now + timedelta(days=3)).isoformat()
    asked = {
        "name": "t",
        "unit_id": web.tree.gangnam.id,
        "role": "viewer",
        "scopes": ["jobs:read"],
        "expires_at": until,
    }

    made = (await admin.post("/api/v1/tokens", json=asked)).json()
    rotated = (await admin.post(f"/api/v1/tokens/{made['id']}/rotate", json={"overlap_seconds": 60})).json()
    clients = [await web.client({"Authorization": f"Bearer {one['secret']}"}) for one in (made, rotated)]
    both = [(await client.get("/api/v1/jobs")).status_code for client in clients]
    forbidden = (await clients[1].get("/api/v1/users")).status_code
    await admin.delete(f"/api/v1/tokens/{rotated['id']}")

    assert (both, forbidden) == ([200, 200], 403)
    assert (await clients[1].get("/api/v1/jobs")).status_code == 401
    assert "secret" not in (await admin.get(f"/api/v1/tokens/{made['id']}")).json()


async def test_nobody_gives_more_than_they_have(web: Web):
    admin = await web.as_("gangnam", scopes=("people:manage",))
    async with web.db.transaction() as tx:
        until = (tx.now + timedelta(days=3)).isoformat()
    asked = {"name": "t", "unit_id": web.tree.gangnam.id, "role": "admin", "scopes": ["*:manage"], "expires_at": until}

    answer = await admin.post("/api/v1/tokens", json=asked)

    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


async def test_a_person_is_added_invited_and_changed(web: Web):
    admin = await web.as_("gangnam")
    new = {"login": "kim", "name": "김운영", "unit_id": web.tree.gangnam.id, "role": "viewer"}

    made = await admin.post("/api/v1/users", json=new)
    taken = await admin.post("/api/v1/users", json=new)
    link = await admin.post(f"{made.headers['Location']}/link")
    changed = await admin.patch(made.headers["Location"], json={"role": "operator"})
    found = (await admin.get("/api/v1/users?q=kim")).json()["items"]

    assert (made.status_code, taken.json()["code"]) == (201, "login_taken")
    assert link.json()["path"].startswith("/sign-in/link/")
    assert changed.json()["role"] == "operator"
    assert [(one["login"], one["has_password"]) for one in found] == [("kim", False)]


async def test_one_sets_ones_own_preferences(web: Web):
    viewer = await web.as_("gangnam", Role.VIEWER, by="session")

    answer = await viewer.put("/api/v1/me/preferences", json={"language": "en", "timezone": "UTC", "theme": "dark"})
    odd = await viewer.put("/api/v1/me/preferences", json={"timezone": "Moon/Base"})

    assert answer.json() == {"language": "en", "timezone": "UTC", "theme": "dark"}
    assert odd.status_code == 422
    assert (await viewer.get("/api/v1/me")).json()["timezone"] == "UTC"


async def test_a_unit_is_added_moved_and_removed(web: Web):
    admin = await web.as_()

    made = await admin.post("/api/v1/units", json={"parent_id": web.tree.busan.id, "level": "branch", "name": "서면점"})
    moved = await admin.patch(made.headers["Location"], json={"parent_id": web.tree.seoul.id})
    full = await admin.delete(f"/api/v1/units/{web.tree.busan.id}")
    gone = await admin.delete(made.headers["Location"])

    assert moved.json()["parent_id"] == web.tree.seoul.id
    assert (full.status_code, full.json()["code"]) == (409, "unit_not_empty")
    assert gone.status_code == 204
    actions = [one["action"] for one in (await admin.get("/api/v1/audit?action=units.*&limit=3")).json()["items"]]
    assert actions == ["units.remove", "units.move", "units.add"]
