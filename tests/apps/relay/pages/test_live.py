"""Live: what came in the last quarter of an hour, where it is and how it ended."""

from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.gateway import Rejected
from pabal.apps.relay.jobs import make_kinds
from pabal.base import clock
from pabal.platform.actor import Role
from pabal.testing import Parts, drain
from tests.support.pages import read, visitor
from tests.support.relay import SECOND, RelayWorld, ScriptedKakao, add_account
from tests.support.web import Web

LIVE = "/relay"


async def test_each_message_says_where_it_is_and_until_when_it_waits(web: Web, relay: RelayWorld) -> None:
    client, korean = await visitor(web, "haeundae", Role.VIEWER), await visitor(web, "haeundae", lang="ko")
    await relay.say("주차 되나요?")
    await clock.advance(web.db, 14 * SECOND)
    waiting = await read(client, LIVE)
    await relay.read()
    await clock.advance(web.db, 10 * SECOND)
    handed, in_korean = await read(client, LIVE), await read(korean, LIVE)

    assert "주차 되나요?" in waiting
    assert "waits to be fetched" in waiting
    assert "oldest unread: 14 s" in waiting
    assert "data-until=" in waiting
    assert "until <time" in waiting
    assert "handed out 10 s ago, no answer yet" in handed
    assert "10초 전 전달, 아직 답 없음" in in_korean
    assert "전달됨" in in_korean


async def test_an_answer_a_late_answer_and_none_are_told_apart(web: Web, relay: RelayWorld) -> None:
    client = await visitor(web, "haeundae", lang="ko")
    for text in ("늦은 것", "답 없는 것"):
        await relay.say(text)
    [late, _] = [handed.letter.uid for handed in await relay.read()]
    await clock.advance(web.db, 58 * SECOND)
    await expire_once(web.db)
    await clock.advance(web.db, 16 * SECOND)
    await relay.reply(late, "늦었습니다")
    # an account that nobody reads would be asleep by now
    await relay.read()
    await relay.say("기다리는 것")
    page = await read(client, LIVE)

    assert "1분 14초 만에 답이 와서 다음 메시지를 기다림" in page
    assert "늦은 답 보관" in page
    assert "제때 답이 없었습니다." in page
    assert page.index("기다리는 것") < page.index("늦은 것")
    assert "2건 중 0건" in page


async def test_a_refused_answer_is_a_failure_whose_answer_is_kept(web: Web, relay: RelayWorld) -> None:
    await relay.say("질문")
    [handed] = await relay.read()
    await relay.reply(handed.letter.uid, "답")
    await clock.advance(web.db, 2 * SECOND)
    await drain(Parts(web.db, make_kinds(ScriptedKakao(Rejected("no")))))

    page = await read(await visitor(web, "haeundae", lang="ko"), LIVE)

    assert "카카오가 답을 거절했습니다. 답은 다음 메시지와 함께 보냅니다." in page
    assert 'data-state="failed">실패<' in page


async def test_the_list_is_filtered_by_state_and_account(web: Web, relay: RelayWorld) -> None:
    client, other = await visitor(web), await add_account(web.db, web.tree.gangnam.id, "강남 비서")
    await relay.pair("lee", other)
    await relay.say("해운대 질문")
    await relay.say("강남 질문", "lee")
    await relay.read()

    queued, of_account = (
        await read(client, f"{LIVE}?state=queued"),
        await read(client, f"{LIVE}?account={other.account.id}"),
    )
    nothing = await read(client, f"{LIVE}?state=failed")

    assert ("강남 질문" in queued, "해운대 질문" in queued) == (True, False)
    assert ("강남 질문" in of_account, "해운대 질문" in of_account) == (True, False)
    assert "Nothing matches these filters." in nothing
    assert "Clear filters" in nothing


async def test_another_branch_sees_no_message_and_what_is_old_is_gone(web: Web, relay: RelayWorld) -> None:
    await relay.say("우리만 아는 말")
    other, own = await visitor(web, "gangnam", lang="ko"), await visitor(web, "haeundae", lang="ko")

    elsewhere = await read(other, LIVE)
    await clock.advance(web.db, 16 * 60 * SECOND)
    later = await read(own, LIVE)

    for page in (elsewhere, later):
        assert "우리만 아는 말" not in page
        assert "최근 15분 동안 메시지가 없습니다." in page
        assert 'href="/relay/connect"' in page
        assert 'href="/relay/simulator"' not in page


async def test_what_does_not_fit_on_the_page_is_counted(web: Web, relay: RelayWorld) -> None:
    client = await visitor(web, "haeundae", lang="ko")
    for number in range(102):
        await relay.say(f"메시지 {number}")

    page = await read(client, LIVE)

    assert "더 오래된 메시지 2건은 보이지 않습니다." in page
