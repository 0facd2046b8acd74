"""Conversations: the list, one with its history, and every verb, singly and for many."""

from pabal.apps.relay.model.messages import Conversation
from pabal.apps.relay.store import conversations
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.relay import HOUSE, RelayWorld, add_account
from tests.support.web import Web

LIST = "/relay/conversations"


async def find(web: Web, user: str = "kim") -> Conversation:
    async with web.db.transaction() as tx:
        found = (await conversations.list_conversations(tx, HOUSE, q=f":{user}")).items
    return found[0]


async def test_the_list_is_filtered_and_only_of_what_is_in_sight(web: Web, relay: RelayWorld) -> None:
    await relay.say("누구세요", "stranger-with-a-long-key")
    own, house = await visitor(web, "haeundae", lang="ko"), await visitor(web)
    other = await visitor(web, "gangnam", lang="ko")

    listed, of_house, elsewhere = await read(own, LIST), await read(house, LIST), await read(other, LIST)
    blocked = await read(own, f"{LIST}?state=blocked")
    searched = await read(house, f"{LIST}?q=stranger")
    of_account = await read(house, f"{LIST}?account={relay.account.account.id}")

    assert "연결됨" in listed
    assert "kim" in listed
    assert "stranger" not in listed
    assert ">stranger…</a>" in of_house
    assert "아직 대화가 없습니다." in elsewhere
    assert "이 조건에 맞는 항목이 없습니다." in blocked
    assert ("stranger" in searched, ">kim</a>" in searched) == (True, False)
    assert ">stranger…</a>" not in of_account


async def test_every_verb_is_offered_where_the_state_has_it_and_does_what_it_says(web: Web, relay: RelayWorld) -> None:
    client, one = await visitor(web, "haeundae"), await find(web)
    path = f"{LIST}/{one.id}"

    paired = await read(client, path)
    moved_away = await client.post(f"{path}/unpair", data={"reason": "이사"})
    unpaired = await read(client, path)
    await client.post(f"{path}/block")
    blocked = await find(web)
    twice = await client.post(f"{path}/block")
    await client.post(f"{path}/unblock")

    assert f'action="{path}/unpair"' in paired
    assert f'action="{path}/unblock"' not in paired
    assert (moved_away.status_code, moved_away.headers["location"]) == (303, path)
    assert f'action="{path}/unpair"' not in unpaired
    assert "이사" in unpaired
    assert (blocked.state, twice.status_code, (await find(web)).state) == ("blocked", 409, "unpaired")


async def test_a_user_who_waits_is_approved_or_rejected(web: Web, relay: RelayWorld) -> None:
    careful = await add_account(web.db, web.tree.haeundae.id, "조심스러운 비서", asks_owner=True)
    for user in ("lee", "park"):
        await relay.pair(user, careful)
    client, lee, park = await visitor(web, "haeundae", lang="ko"), await find(web, "lee"), await find(web, "park")

    page, menu = await read(client, f"{LIST}/{lee.id}"), await read(client, "/relay")
    approved = await client.post(f"{LIST}/{lee.id}/approve", data={"back": f"{LIST}?state=pending"})
    await client.post(f"{LIST}/{park.id}/reject")

    assert "이 사용자가 승인을 기다립니다" in page
    assert '<span class="pb-need" title="사람을 기다리는 항목">2</span>' in menu
    assert approved.headers["location"] == f"{LIST}?state=pending"
    assert ((await find(web, "lee")).state, (await find(web, "park")).state) == ("paired", "unpaired")


async def test_a_conversation_moves_to_another_account_in_sight_only(web: Web, relay: RelayWorld) -> None:
    second = await add_account(web.db, web.tree.haeundae.id, "둘째 비서")
    foreign = await add_account(web.db, web.tree.gangnam.id, "강남 비서")
    client, one = await visitor(web, "haeundae"), await find(web)
    path = f"{LIST}/{one.id}"

    page = await read(client, path)
    refused = await client.post(f"{path}/move", data={"account_id": str(foreign.account.id)})
    moved = await client.post(f"{path}/move", data={"account_id": str(second.account.id)})

    assert ("둘째 비서" in page, "강남 비서" in page) == (True, False)
    assert (refused.status_code, moved.status_code) == (404, 303)
    assert (await find(web)).account_id == second.account.id


async def test_many_are_previewed_and_then_unpaired_or_blocked(web: Web, relay: RelayWorld) -> None:
    await relay.pair("lee")
    client, kim, lee = await visitor(web, "haeundae", lang="ko"), await find(web), await find(web, "lee")
    await client.post(f"{LIST}/{kim.id}/unpair")
    ids = [str(kim.id), str(lee.id)]

    chosen = await client.post(f"{LIST}/bulk", data={"event": "unpair", "id": ids, "back": LIST})
    preview = await read(client, chosen.headers["location"])
    done = await client.post(f"{LIST}/bulk/send", data={"event": "unpair", "id": ids, "reason": "정리"})
    nothing = await read(client, f"{LIST}/bulk")
    # a verb that is not for many does nothing
    await client.post(f"{LIST}/bulk/send", data={"event": "move", "id": ids})

    assert "처리할 대화" in preview
    assert "그대로 둘 대화" in preview
    assert "연결 끊기: 1건" in preview
    assert done.headers["location"] == LIST
    assert "고른 것이 없습니다." in nothing
    assert ((await find(web)).state, (await find(web, "lee")).state) == ("unpaired", "unpaired")


async def test_another_branch_gets_404_and_a_viewer_no_buttons(web: Web, relay: RelayWorld) -> None:
    one = await find(web)
    other, viewer = await visitor(web, "gangnam"), await visitor(web, "haeundae", Role.VIEWER)
    path = f"{LIST}/{one.id}"

    seen, listed = await read(viewer, path), await read(viewer, LIST)

    await read(other, path, 404)
    assert (await other.post(f"{path}/block")).status_code == 404
    # only a user's own code pairs
    assert (await other.post(f"{path}/pair")).status_code == 404
    assert (await viewer.post(f"{path}/block")).status_code == 403
    assert "/block" not in seen + listed
    assert 'name="id"' not in listed
