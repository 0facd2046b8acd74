"""The relay's resources over HTTP: accounts with tokens shown once, codes, conversations, messages and their traces."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest

from pabal.apps.relay.store import accounts
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.relay import RelayWorld, add_account, make_relay
from tests.support.web import SECRET, Web

V1 = "/api/v1/relay"


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.relay", secret_key=SECRET)


@dataclass
class Asked:
    """An administrator of Haeundae, whose account and user are there."""

    web: Web
    world: RelayWorld
    admin: httpx2.AsyncClient

    @property
    def account(self) -> str:
        return f"{V1}/accounts/{self.world.account.account.id}"

    async def conversation(self, user: str = "kim") -> str:
        found = (await self.admin.get(f"{V1}/conversations", params={"q": user})).json()["items"]
        return f"{V1}/conversations/{found[0]['id']}"

    async def get(self, path: str, **params: Any) -> Any:
        answer = await self.admin.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = await self.admin.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
async def asked(web: Web) -> Asked:
    return Asked(web, await make_relay(web.db, web.tree), await web.as_("haeundae"))


@pytest.mark.req("C-65", "C-66")
async def test_a_token_is_shown_when_an_account_is_made_and_never_again(asked: Asked):
    made = await asked.admin.post(f"{V1}/accounts", json={"name": "새 비서", "openclaw_user_id": "kim@claw"})
    shown = await asked.admin.get(made.headers["Location"])
    listed = await asked.admin.get(f"{V1}/accounts")

    token = made.json()["token"]
    assert (made.status_code, len(token), made.json()["rate_limit_per_minute"]) == (201, 64, 60)
    assert shown.json()["openclaw_user_id"] == "kim@claw"
    assert "token" not in shown.json()
    assert token not in shown.text + listed.text
    async with asked.web.db.transaction() as tx:
        held = await accounts.hold_account(tx, UUID(made.json()["id"]))
    assert held is not None
    assert (held.relay_token_hash, token in str(held)) == (accounts.hash_token(token), False)


@pytest.mark.req("C-67")
async def test_a_new_token_ends_the_old_one_at_once_or_after_a_while(asked: Asked):
    old = asked.world.account.token
    late = (await asked.post(f"{asked.account}/rotate", {"overlap_seconds": 600}))["token"]
    during = [await _reads(asked, one) for one in (old, late)]
    newest = (await asked.post(f"{asked.account}/rotate", {"overlap_seconds": 0}))["token"]

    assert during == [200, 200]
    assert [await _reads(asked, one) for one in (old, late, newest)] == [401, 401, 200]


async def test_an_account_is_changed_by_merge_patch_and_only_what_was_read(asked: Asked):
    seen = await asked.admin.get(asked.account)
    changed = await asked.admin.patch(asked.account, json={"rate_limit_per_minute": 120, "asks_owner": True})
    # what moves by itself says nothing about the version one read
    await asked.world.say()
    stale = await asked.admin.patch(asked.account, json={"name": "x"}, headers={"If-Match": seen.headers["ETag"]})
    fresh = await asked.admin.patch(asked.account, json={"name": "x"}, headers={"If-Match": changed.headers["ETag"]})

    assert (changed.json()["name"], changed.json()["rate_limit_per_minute"], changed.json()["asks_owner"]) == (
        "비서",
        120,
        True,
    )
    assert (stale.status_code, fresh.status_code, fresh.json()["name"]) == (412, 200, "x")


@pytest.mark.req("C-27")
async def test_a_disabled_account_is_refused_until_it_is_enabled(asked: Asked):
    off = await asked.post(f"{asked.account}/disable", {"reason": "점검"})
    refused = await _reads(asked, asked.world.account.token)
    again = await asked.post(f"{asked.account}/disable", {}, status=409)
    on = await asked.post(f"{asked.account}/enable")

    assert (off["state"], off["disabled_at"] is not None, refused) == ("disabled", True, 401)
    assert (again["code"], on["disabled_at"]) == ("account_disabled", None)
    assert await _reads(asked, asked.world.account.token) == 200


async def test_a_try_changes_nothing(asked: Asked):
    before = await asked.get(asked.account)
    for path, body in (("disable", {}), ("rotate", {})):
        await asked.post(f"{asked.account}/{path}?dry_run=true", body)
    tried = await asked.post(f"{V1}/codes?dry_run=true", {"account_id": before["id"]}, status=201)

    assert await asked.get(asked.account) == before
    assert (await asked.admin.get(f"{V1}/codes/{tried['code']}")).status_code == 404


async def test_a_code_is_made_used_or_revoked(asked: Asked):
    body = {"account_id": str(asked.world.account.account.id), "expires_in_seconds": 120, "metadata": {"for": "이손님"}}
    used = await asked.post(f"{V1}/codes", body, status=201)
    made = await asked.admin.post(f"{V1}/codes", json=body)
    await asked.world.say(f"/pair {used['code'].lower().replace('-', ' ')}", "lee")
    revoked = await asked.post(f"{made.headers['Location']}/revoke")
    again = await asked.post(f"{made.headers['Location']}/revoke", status=409)

    assert (used["state"], used["metadata"], used["account_name"]) == ("active", {"for": "이손님"}, "비서")
    assert (revoked["state"], again["code"]) == ("revoked", "code_ended")
    assert (await asked.get(f"{V1}/codes"))["items"] == []
    everything = (await asked.get(f"{V1}/codes", ended=True))["items"]
    assert {one["code"]: (one["state"], one["used_by"]) for one in everything}.items() >= {
        used["code"]: ("used", "b0ts:lee"),
        revoked["code"]: ("revoked", None),
    }.items()


async def test_codes_of_an_account_are_limited_and_live_for_a_minute_at_least(asked: Asked):
    body = {"account_id": str(asked.world.account.account.id)}
    for _ in range(5):
        await asked.post(f"{V1}/codes", body, status=201)

    assert (await asked.post(f"{V1}/codes", body, status=409))["code"] == "too_many_codes"
    short = await asked.admin.post(f"{V1}/codes", json={**body, "expires_in_seconds": 59})
    assert short.status_code == 422


async def test_a_conversation_is_unpaired_blocked_and_unblocked(asked: Asked):
    path = await asked.conversation()

    states = [
        (await asked.post(f"{path}/{verb}", {"reason": "부탁"}))["state"] for verb in ("unpair", "block", "unblock")
    ]
    refused = await asked.post(f"{path}/approve", {}, status=409)

    assert states == ["UNPAIRED", "BLOCKED", "UNPAIRED"]
    assert refused["code"] == "move_not_allowed"


async def test_a_conversation_waits_for_approval_and_is_moved(asked: Asked):
    asking = await add_account(asked.web.db, asked.world.tree.haeundae.id, "묻는 계정", asks_owner=True)
    await asked.world.pair("lee", asking)
    path = await asked.conversation("lee")
    waiting = await asked.get(path)
    approved = await asked.post(f"{path}/approve", {})

    moved = await asked.post(f"{path}/move", {"account_id": str(asked.world.account.account.id)})
    same = await asked.post(f"{path}/move", {"account_id": str(asked.world.account.account.id)}, status=409)

    assert (waiting["state"], approved["state"], approved["account_name"]) == ("PENDING", "PAIRED", "묻는 계정")
    assert (moved["account_name"], moved["version"], same["code"]) == ("비서", approved["version"] + 1, "same_account")


async def test_an_older_version_of_a_conversation_is_not_changed(asked: Asked):
    path = await asked.conversation()
    tag = (await asked.admin.get(path)).headers["ETag"]
    await asked.post(f"{path}/unpair", {})

    late = await asked.admin.post(f"{path}/block", json={}, headers={"If-Match": tag})

    assert late.status_code == 412
    assert (await asked.get(path))["state"] == "UNPAIRED"


async def test_a_message_is_listed_and_its_trace_is_told(asked: Asked):
    await asked.world.say("날씨 어때?")
    [handed] = await asked.world.read()
    await asked.world.reply(handed.letter.uid, "맑아요")

    [listed] = (await asked.get(f"{V1}/messages", status="DELIVERED,ACKED", q="날씨"))["items"]
    trace = await asked.get(f"{V1}/messages/{listed['id']}")

    assert (listed["id"], listed["status"], listed["normalized"]["text"]) == (
        str(handed.letter.uid),
        "DELIVERED",
        "날씨 어때?",
    )
    assert 0 < listed["remaining_seconds"] <= 55
    assert [one["event"] for one in trace["steps"]] == ["begin", "hand_out"]
    assert [(one["state"], one["carried_by"]) for one in trace["replies"]] == [("pending", None)]
    assert {name: trace[name] for name in listed if not name.endswith("_seconds")} == {
        name: value for name, value in listed.items() if not name.endswith("_seconds")
    }
    assert "bot-api.kakao.com" not in str(trace)


async def test_a_message_is_replayed_and_what_is_out_of_sight_is_not(asked: Asked):
    test = await add_account(asked.web.db, asked.world.tree.haeundae.id, "시험 비서")
    foreign = await add_account(asked.web.db, asked.world.tree.gangnam.id, "강남 비서")
    await asked.world.say("날씨 어때?")
    path = f"{V1}/messages/{(await asked.world.newest()).uid}"
    body, stranger = {"account_id": str(test.account.id)}, await asked.web.as_("gangnam")

    tried = await asked.admin.post(f"{path}/replay?dry_run=true", json=body)
    made = await asked.admin.post(f"{path}/replay", json=body)
    elsewhere = await asked.post(f"{path}/replay", {"account_id": str(foreign.account.id)}, status=404)
    theirs = await stranger.post(f"{path}/replay", json={"account_id": str(foreign.account.id)})
    viewer = await (await asked.web.as_("haeundae", Role.VIEWER)).post(f"{path}/replay", json=body)

    assert (tried.status_code, made.status_code) == (201, 201)
    assert made.headers["Location"] == f"{V1}/messages/{made.json()['id']}"
    trace = await asked.get(made.headers["Location"])
    assert (trace["replay_of"], trace["normalized"]["text"]) == (path.rpartition("/")[2], "날씨 어때?")
    assert (elsewhere["code"], theirs.json()["code"]) == ("account_not_found", "message_not_found")
    assert viewer.status_code == 403
    assert len((await asked.get(f"{V1}/messages"))["items"]) == 2


async def test_lists_are_spreadsheets_too(asked: Asked):
    await asked.world.say()
    for noun in ("accounts", "conversations", "messages", "codes"):
        sheet = await asked.admin.get(f"{V1}/{noun}", headers={"Accept": "text/csv"})
        items = (await asked.get(f"{V1}/{noun}"))["items"]

        lines = sheet.text.lstrip("\ufeff").splitlines()
        assert sheet.headers["Content-Type"].startswith("text/csv")
        assert len(lines) == len(items) + 1
        assert not items or lines[0].split(",") == list(items[0])


async def test_pages_of_lists_follow_one_another(asked: Asked):
    for number in range(3):
        await add_account(asked.web.db, asked.world.tree.haeundae.id, f"비서 {number}")
        await asked.world.make_code()

    for noun, key in (("accounts", "id"), ("codes", "code")):
        whole = [one[key] for one in (await asked.get(f"{V1}/{noun}"))["items"]]
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await asked.get(f"{V1}/{noun}", limit=1, **cursor)
            found += [one[key] for one in page["items"]]
            if not page["has_more"]:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert found == whole
        assert len(set(found)) >= 3


async def test_another_branch_finds_nothing_by_id(asked: Asked):
    await asked.world.say()
    [message] = await asked.world.messages()
    stranger = await asked.web.as_("gangnam")
    paths = [
        asked.account,
        await asked.conversation(),
        f"{V1}/messages/{message.uid}",
        f"{V1}/codes/{await asked.world.make_code()}",
    ]

    answers = {(await stranger.get(path)).status_code for path in paths}
    named = await stranger.get(f"{V1}/messages", params={"account": str(asked.world.account.account.id)})

    assert answers == {404}
    assert named.json()["items"] == []


async def test_a_viewer_sees_that_a_code_is_active_and_not_the_code(asked: Asked):
    code = await asked.world.make_code()
    viewer = await asked.web.as_("haeundae", Role.VIEWER)

    listed = await viewer.get(f"{V1}/codes")

    assert [one["state"] for one in listed.json()["items"]] == ["active"]
    assert code not in listed.text
    assert (await viewer.post(f"{V1}/codes/{code}/revoke")).status_code == 403


@pytest.mark.parametrize("path", ["accounts/1", "messages/x", "codes/0", "codes/AB%00D-2345", "conversations/x"])
async def test_what_cannot_be_an_id_is_refused_or_not_found(asked: Asked, path: str):
    answer = await asked.admin.get(f"{V1}/{path}")

    assert answer.status_code in (400, 404, 422)


async def _reads(asked: Asked, token: str) -> int:
    client = await asked.web.client({"Authorization": f"Bearer {token}"})
    return (await client.get("/openclaw/messages", params={"wait": 0})).status_code
