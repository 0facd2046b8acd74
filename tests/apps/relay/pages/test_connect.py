"""How to connect; and what every page of the relay says."""

import pytest

from pabal.apps.relay.hub import hub_of
from pabal.platform.actor import Role
from tests.apps.relay.pages.test_conversations import find
from tests.support.pages import read, visitor
from tests.support.relay import RelayWorld
from tests.support.web import Web


async def test_what_to_paste_is_there_for_every_side(web: Web, relay: RelayWorld) -> None:
    client, korean = await visitor(web, "haeundae"), await visitor(web, "haeundae", Role.VIEWER, lang="ko")
    hub = hub_of(web.app.services)

    page, shown = await read(client, "/relay/connect"), await read(korean, "/relay/connect")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub, "startup", hub.startup.model_copy(update={"secret": "hush-hush", "secret_header": "X-Ours"}))
        secured = await read(client, "/relay/connect")

    assert "https://relay.example.com/kakao/webhook" in page
    assert '"relayUrl": "https://relay.example.com/"' in page
    assert "KAKAO_RELAY_URL=https://relay.example.com/" in page
    assert page.count("data-copy-next") == 4
    assert "X-Relay-Secret" in page
    assert "asks for no secret" in page
    assert ("X-Ours" in secured, "asks for no secret" in secured, "hush-hush" in secured) == (True, False, False)
    assert "비밀 헤더 이름" in shown
    assert "새 계정" not in shown


@pytest.mark.req("C-02")
async def test_every_page_says_that_it_is_none_of_kakaos(web: Web, relay: RelayWorld) -> None:
    await relay.say("안녕하세요")
    talk, message, code = await find(web), await relay.newest(), await relay.make_code()
    account = f"/relay/accounts/{relay.account.account.id}"
    paths = ["/relay", f"/relay/messages/{message.uid}", "/relay/conversations", f"/relay/conversations/{talk.id}"]
    paths += ["/relay/conversations/bulk", "/relay/accounts", "/relay/accounts/new", account, f"{account}/edit"]
    paths += ["/relay/pairing", f"/relay/pairing/{code}", "/relay/connect"]
    client = await visitor(web, lang="ko")

    pages = [await read(client, path) for path in paths]
    pages.append((await client.post(f"{account}/rotate", data={"overlap": "0"})).text)

    for page in pages:
        assert page.count("이 서비스는 카카오에서 제공하는 공식 서비스가 아닙니다.") == 1
        assert page.count('aria-current="page"') >= 1
    english = await read(await visitor(web), "/relay")
    assert english.count("This service is not an official service provided by Kakao.") == 1
