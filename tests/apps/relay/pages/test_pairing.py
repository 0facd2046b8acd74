"""Pairing: codes that can be used, those that were, a new one with its text and picture, who guessed too often."""

from datetime import timedelta

import pytest

from pabal.apps.relay.hub import hub_of
from pabal.apps.relay.pages.pairing import draw
from pabal.base import clock
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.relay import RelayWorld, add_account
from tests.support.web import Web

PAGE = "/relay/pairing"


async def test_a_code_is_made_for_an_account_with_its_text_and_picture(web: Web, relay: RelayWorld) -> None:
    client = await visitor(web, "haeundae", Role.OPERATOR, lang="ko")

    made = await client.post(PAGE, data={"account_id": str(relay.account.account.id)})
    path = made.headers["location"]
    code = path.rpartition("/")[2]
    page, listed = await read(client, path), await read(client, PAGE)

    assert f"/pair {code}" in page
    assert f'src="{draw(f"/pair {code}")}"' in page
    assert "data-copy-next" in page
    assert "9분 후" in page
    assert code in listed
    await relay.say(f"/pair {code}", "lee")
    used, after = await read(client, path), await read(client, PAGE)
    assert "이미 사용한 코드입니다" in used
    assert "lee" in after
    assert "사용함" in after


async def test_the_channel_is_named_where_the_server_knows_it(web: Web, relay: RelayWorld) -> None:
    client, code = await visitor(web, "haeundae"), await relay.make_code()
    hub, channel = hub_of(web.app.services), "https://pf.kakao.com/_abcd/chat"

    without = await read(client, f"{PAGE}/{code}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub, "startup", hub.startup.model_copy(update={"channel_url": channel}))
        page = await read(client, f"{PAGE}/{code}")

    assert (channel in without, channel in page) == (False, True)
    assert draw(channel) in page


async def test_a_code_is_revoked_once(web: Web, relay: RelayWorld) -> None:
    client, code = await visitor(web, "haeundae"), await relay.make_code()

    revoked, again = [await client.post(f"{PAGE}/{code}/revoke") for _ in range(2)]

    assert (revoked.status_code, again.status_code) == (303, 409)
    assert "This code is over" in await read(client, f"{PAGE}/{code}")


async def test_who_guessed_too_often_is_shown_to_the_house(web: Web, relay: RelayWorld) -> None:
    for _ in range(5):
        await relay.say("/pair AAAA-AAAA", "guesser")
    house, branch = await visitor(web, lang="ko"), await visitor(web, "haeundae", lang="ko")

    page, of_branch = await read(house, PAGE), await read(branch, PAGE)
    await clock.advance(web.db, timedelta(minutes=16))
    later = await read(house, PAGE)

    assert "코드를 여러 번 틀린 사용자" in page
    assert "guesser" in page
    assert "guesser" not in of_branch
    assert "guesser" not in later


async def test_another_branch_gets_404_and_a_viewer_no_buttons(web: Web, relay: RelayWorld) -> None:
    code, foreign = await relay.make_code(), await add_account(web.db, web.tree.gangnam.id, "강남 비서")
    other, viewer = await visitor(web, "gangnam"), await visitor(web, "haeundae", Role.VIEWER)

    seen, elsewhere = await read(viewer, PAGE), await read(other, PAGE)
    active = await relay.make_code()
    assert active not in await read(viewer, PAGE)
    assert active not in await read(viewer, f"/relay/accounts/{relay.account.account.id}")
    assert (await viewer.get(f"{PAGE}/{active}")).status_code == 403

    assert code not in elsewhere
    await read(other, f"{PAGE}/{code}", 404)
    assert (await other.post(f"{PAGE}/{code}/revoke")).status_code == 404
    assert (await other.post(PAGE, data={"account_id": str(relay.account.account.id)})).status_code == 404
    assert (await viewer.post(PAGE, data={"account_id": str(foreign.account.id)})).status_code == 403
    assert "revoke" not in seen
    assert "new-code" not in seen
