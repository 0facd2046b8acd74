"""Accounts: the list, one of them, the forms, tokens that are shown once."""

import re

from pabal.apps.relay import settings as own
from pabal.apps.relay.jobs import make_kinds
from pabal.apps.relay.model.messages import Account
from pabal.apps.relay.store import accounts
from pabal.apps.relay.store.accounts import hash_token
from pabal.apps.relay.store.mailboxes import take_request
from pabal.base import clock
from pabal.platform.actor import Role
from pabal.testing import Parts, drain
from tests.support.pages import read, visitor
from tests.support.relay import HOUSE, SECOND, RelayWorld, ScriptedKakao, set_value
from tests.support.web import Web

LIST = "/relay/accounts"
TYPED = {"name": "새 비서", "openclaw_user_id": "openclaw-new", "rate_limit": "120", "asks_owner": "yes"}


async def list_all(web: Web) -> list[Account]:
    async with web.db.transaction() as tx:
        return (await accounts.list_accounts(tx, HOUSE)).items


def find_token(page: str) -> str:
    return re.findall(r"KAKAO_RELAY_TOKEN=([0-9a-f]{64})", page)[0]


async def test_the_list_says_who_reads_what_waits_and_how_much_was_asked(web: Web, relay: RelayWorld) -> None:
    await relay.say("기다리는 말")
    await relay.holder()
    client = await visitor(web, "haeundae", Role.VIEWER, lang="ko")

    awake = await read(client, LIST)
    await clock.advance(web.db, 90 * SECOND)
    asleep, elsewhere = await read(client, LIST), await read(await visitor(web, "gangnam", lang="ko"), LIST)

    assert "읽는 중" in awake
    assert "1 / 60" in awake
    assert 'data-label="대기">1<' in awake
    assert "쉬는 중" in asleep
    assert "새 계정" not in awake
    assert "아직 계정이 없습니다." in elsewhere


async def test_an_account_is_made_and_its_token_shown_once(web: Web, relay: RelayWorld) -> None:
    client = await visitor(web, "haeundae")

    made = await client.post(f"{LIST}/new", data=TYPED)
    token, [account, _] = find_token(made.text), await list_all(web)
    later = await read(client, f"{LIST}/{account.id}")

    holder = await take_request(web.db, hash_token(token))
    assert holder is not None
    assert (holder.id, account.name, account.rate_limit_per_minute, account.asks_owner) == (
        account.id,
        "새 비서",
        120,
        True,
    )
    assert account.unit_id == web.tree.haeundae.id
    assert made.headers["Cache-Control"] == "no-store"
    assert "https://relay.example.com/" in made.text
    assert token not in later
    assert "after approval" in later


async def test_what_does_not_fit_is_said_at_its_field_and_nothing_typed_is_lost(web: Web, relay: RelayWorld) -> None:
    client = await visitor(web, "haeundae", lang="ko")
    await client.post(f"{LIST}/new", data=TYPED)

    bad = await client.post(f"{LIST}/new", data={"name": " ", "rate_limit": "많이", "openclaw_user_id": "x" * 201})
    taken = await client.post(f"{LIST}/new", data=TYPED)
    foreign = await client.post(f"{LIST}/new", data={**TYPED, "unit_id": str(web.tree.gangnam.id)})

    assert (bad.status_code, taken.status_code, foreign.status_code) == (422, 422, 404)
    assert "3가지를 고쳐야 합니다" in bad.text
    assert 'value="많이"' in bad.text
    assert "이미 있습니다" in taken.text
    assert 'value="새 비서"' in taken.text


async def test_an_account_is_edited(web: Web, relay: RelayWorld) -> None:
    client, [account] = await visitor(web), await list_all(web)
    path = f"{LIST}/{account.id}/edit"

    form = await read(client, path)
    saved = await client.post(path, data={"name": "바꾼 비서", "rate_limit": "5", "unit_id": str(web.tree.nampo.id)})
    bad = await client.post(path, data={"name": "", "rate_limit": "5"})

    [after] = await list_all(web)
    assert 'value="비서"' in form
    assert (saved.status_code, bad.status_code) == (303, 422)
    assert (after.name, after.rate_limit_per_minute, after.unit_id) == ("바꾼 비서", 5, web.tree.nampo.id)


async def test_a_new_token_lets_the_old_one_live_as_long_as_was_chosen(web: Web, relay: RelayWorld) -> None:
    client, [account] = await visitor(web, "haeundae", lang="ko"), await list_all(web)
    path = f"{LIST}/{account.id}"

    dialog = await read(client, path)
    made = await client.post(f"{path}/rotate", data={"overlap": "3600"})
    again = await client.get(f"{path}/rotate")

    [after] = await list_all(web)
    assert '<option value="600">10분</option>' in dialog
    assert await take_request(web.db, hash_token(find_token(made.text))) is not None
    assert await take_request(web.db, hash_token(relay.account.token)) is not None
    assert after.old_token_until is not None
    assert "이전 토큰 만료" in made.text
    assert again.headers["location"] == path


async def test_an_account_is_switched_off_and_on(web: Web, relay: RelayWorld) -> None:
    client, [account] = await visitor(web, "haeundae", lang="ko"), await list_all(web)
    path = f"{LIST}/{account.id}"

    await client.post(f"{path}/disable", data={"reason": "점검"})
    off = await read(client, path)
    await client.post(f"{path}/enable")

    assert "꺼 둔 계정입니다" in off
    assert f'action="{path}/enable"' in off
    assert f'action="{path}/disable"' not in off
    assert (await list_all(web))[0].disabled_at is None


async def test_paid_event_messages_are_counted_with_their_cost(web: Web, relay: RelayWorld) -> None:
    await set_value(web.db, own.EVENT_API, True)
    await set_value(web.db, own.EVENT_COST, 20)
    await relay.say("늦은 것")
    [handed] = await relay.read()
    await clock.advance(web.db, 70 * SECOND)
    await relay.reply(handed.letter.uid, "늦었습니다", can_push=True)
    await drain(Parts(web.db, make_kinds(ScriptedKakao())))
    client = await visitor(web, "haeundae", lang="ko")

    listed, one = await read(client, LIST), await read(client, f"{LIST}/{relay.account.account.id}")
    elsewhere = await read(await visitor(web, "gangnam", lang="ko"), LIST)

    assert "20원" in listed
    assert "20원" in one
    assert "20원" not in elsewhere


async def test_another_branch_gets_404_and_who_may_not_manage_no_buttons(web: Web, relay: RelayWorld) -> None:
    [account] = await list_all(web)
    other, operator = await visitor(web, "gangnam"), await visitor(web, "haeundae", Role.OPERATOR)
    path = f"{LIST}/{account.id}"

    seen = await read(operator, path)

    for one in (path, f"{path}/edit"):
        await read(other, one, 404)
    for verb in ("disable", "rotate"):
        assert (await other.post(f"{path}/{verb}", data={"overlap": "0"})).status_code == 404
        assert (await operator.post(f"{path}/{verb}", data={"overlap": "0"})).status_code == 403
        assert f"{path}/{verb}" not in seen
    assert (await operator.post(f"{LIST}/new", data=TYPED)).status_code == 403
    await read(operator, f"{LIST}/new", 403)
    await read(operator, f"{LIST}/nonsense", 404)
