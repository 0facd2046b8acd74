"""The trace of one message: each step with its time, what was said, why it ended and what to do."""

import re

from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.actions.questions import Question, ask
from pabal.apps.relay.gateway import Accepted, CallResult, Rejected
from pabal.apps.relay.jobs import make_kinds
from pabal.base import clock
from pabal.platform.actor import ENGINE, Role
from pabal.testing import Parts, drain
from tests.support.pages import read, visitor
from tests.support.relay import SECOND, RelayWorld, ScriptedKakao, add_account
from tests.support.web import Web


async def answer(web: Web, relay: RelayWorld, result: CallResult) -> str:
    """A message that was handed out twice, answered, and called back; answers its address."""
    await relay.say("예약을 옮기고 싶어요")
    await relay.read()
    await clock.advance(web.db, 21 * SECOND)
    [handed] = await relay.read(again=True)
    await clock.advance(web.db, 3 * SECOND)
    await relay.reply(handed.letter.uid, "몇 시로 옮길까요?")
    await clock.advance(web.db, 2 * SECOND)
    await drain(Parts(web.db, make_kinds(ScriptedKakao(result))))
    return f"/relay/messages/{handed.letter.uid}"


async def test_a_trace_tells_every_step_with_the_time_between(web: Web, relay: RelayWorld) -> None:
    path = await answer(web, relay, Accepted())
    page = await read(await visitor(web, "haeundae", Role.VIEWER, lang="ko"), path)

    steps = [
        "카카오에서 받음",
        "비서 계정의 대기열에 넣음",
        "인스턴스가 가져감",
        "답이 없어 다시 전달",
        "인스턴스가 답함",
    ]
    steps += ["카카오에 보냄", "끝남: 응답함"]
    places = [page.index(step) for step in steps]
    assert places == sorted(places)
    assert re.search(r"2[1-9]초 뒤", page)
    # the clock was moved by three seconds, and goes on meanwhile
    assert re.search(r"[3-9]\.\d초 뒤", page)
    assert "몇 시로 옮길까요?" in page
    assert "카카오에 보낸 것" in page
    assert '"utterance": "예약을 옮기고 싶어요"' in page
    assert "bot-api.kakao.com/v1/bots" not in page


async def test_a_failed_one_says_why_and_what_to_do(web: Web, relay: RelayWorld) -> None:
    path = await answer(web, relay, Rejected("Invalid callback token."))
    korean, english = await visitor(web, "haeundae", lang="ko"), await visitor(web, "haeundae")

    page = await read(korean, path)

    assert "카카오가 답을 거절했습니다." in page
    assert "‘콜백 사용’이 켜져 있는지" in page
    assert "늦은 답 보관" in page
    assert "Kakao refused the answer." in await read(english, path)


async def test_one_that_waits_says_for_how_long_and_what_then(web: Web, relay: RelayWorld) -> None:
    await relay.say("아직이요?")
    await clock.advance(web.db, 36 * SECOND)
    path = f"/relay/messages/{(await relay.newest()).uid}"
    client = await visitor(web, "haeundae", lang="ko")

    open_page = await read(client, path)
    await clock.advance(web.db, 20 * SECOND)
    await expire_once(web.db)
    ended = await read(client, path)

    assert "19초 남음" in open_page
    assert "이때부터 늦은 답으로 처리" in open_page
    assert "제때 답이 없었습니다." in ended
    assert "답이 없었습니다" in ended


async def test_a_message_is_found_by_its_number_and_another_branch_finds_none(web: Web, relay: RelayWorld) -> None:
    await relay.say("우리만 아는 말")
    message = await relay.newest()
    own, other = await visitor(web, "haeundae"), await visitor(web, "gangnam")

    assert "우리만 아는 말" in await read(own, f"/relay/messages/{message.id}")
    for name in (message.id, message.uid, "nonsense", 7):
        await read(other, f"/relay/messages/{name}", 404)


async def test_a_message_is_replayed_from_its_trace_and_the_replay_says_what_it_is(web: Web, relay: RelayWorld) -> None:
    test = await add_account(web.db, web.tree.haeundae.id, "시험 비서")
    await relay.say("예약을 옮기고 싶어요")
    path = f"/relay/messages/{(await relay.newest()).uid}"
    person, viewer = (
        await visitor(web, "haeundae", Role.OPERATOR, lang="ko"),
        await visitor(web, "haeundae", Role.VIEWER),
    )

    sent = await person.post(f"{path}/replay", data={"account_id": str(test.account.id)})
    refused = await viewer.post(f"{path}/replay", data={"account_id": str(test.account.id)})
    [handed] = await relay.read(test)
    await relay.reply(handed.letter.uid, "몇 시로 옮길까요?", account=test)
    page, live = await read(person, sent.headers["location"]), await read(person, "/relay")

    assert (sent.status_code, refused.status_code) == (303, 403)
    assert "재실행한 메시지라 답이 사용자에게 가지 않습니다" in page
    assert f'href="{path}"' in page
    for said in ("몇 시로 옮길까요?", "여기서만 표시", "님이 재실행", "인스턴스가 답함"):
        assert said in page
    assert ("카카오에서 받음" in page, "카카오에 보낸 것" in page) == (False, False)
    assert live.count("재실행") == 1
    assert ("/replay" in await read(person, path), "/replay" in await read(viewer, path)) == (True, False)


async def test_what_waits_behind_the_button_is_counted(web: Web, relay: RelayWorld) -> None:
    await relay.say("길게 말해 줘")
    [handed] = await relay.read()
    await relay.reply(handed.letter.uid, "가" * 5000)
    await clock.advance(web.db, 2 * SECOND)
    await drain(Parts(web.db, make_kinds(ScriptedKakao())))

    page = await read(await visitor(web, "haeundae"), f"/relay/messages/{handed.letter.uid}")

    assert "2 bubbles did not fit and are kept for the user's button." in page
    assert "더 보기" in page


async def test_a_question_of_a_workflow_leads_to_the_run_that_asked(web: Web, relay: RelayWorld) -> None:
    async with web.db.transaction() as tx:
        question = Question("몇 시예요?", "workflow_run:7", "7/ask", tx.now + 60 * SECOND)
        await ask(tx, ENGINE, relay.account.account.id, question)
    [handed] = await relay.read()
    path = f"/relay/messages/{handed.letter.uid}"
    korean = await visitor(web, "haeundae", Role.OPERATOR, lang="ko")

    waiting = await read(korean, path)
    await relay.reply(handed.letter.uid, "세 시요.")
    answered, live = await read(korean, path), await read(korean, "/relay")

    assert "워크플로우가 질문함" in waiting
    assert ("/workflows/runs/7" in waiting, f"{path}/replay" in waiting) == (True, False)
    assert "질문한 워크플로우에 답을 전했습니다." in answered
    assert "세 시요." in answered
    assert ("몇 시예요?" in live, "<b>워크플로우</b>" in live) == (True, True)
