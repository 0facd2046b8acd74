"""A long answer: what does not fit waits behind a button, for the user it was meant for, for a while, once."""

from datetime import timedelta

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import receiving
from pabal.apps.relay.actions.endings import clean_up_once
from pabal.apps.relay.actions.receiving import Direct, Waits
from pabal.apps.relay.gateway import CallResult, Rejected, Unclear
from pabal.apps.relay.jobs import make_kinds
from pabal.apps.relay.model.skill import Skill
from pabal.base import clock
from pabal.base.sql import load
from pabal.testing import Parts, advance
from tests.support.relay import RelayWorld, ScriptedKakao, callback, set_value, texts_of

SQL = load(__file__)
MORE = own.MORE[0].default
BUTTON = {"label": "더 보기", "action": "message", "messageText": "더 보기"}
# seven bubbles of a thousand characters, each of its own letter
LONG = "".join(letter * 1000 for letter in "가나다라마바사")


async def answer(world: RelayWorld, text: str = LONG, *results: CallResult, lang: str = "ko") -> Skill:
    """What Kakao is sent for one question that was answered so."""
    kakao = ScriptedKakao(*results)
    await world.say("길게 말해 줘", lang=lang)
    await world.read()
    await world.reply((await world.newest()).uid, text)
    await advance(Parts(world.db, make_kinds(kakao)), timedelta(seconds=5))
    [(_, skill)] = kakao.calls
    return skill


async def press(world: RelayWorld, user: str = "kim", text: str = MORE, **given: object) -> list[str] | None:
    """What is answered at once; None: it went to the instance."""
    said = await world.say(text, user, **given)
    assert isinstance(said, Direct)
    return None if "useCallback" in said.skill else texts_of(said.skill)


async def count_kept(world: RelayWorld) -> int:
    async with world.db.transaction() as tx:
        found: int = await tx.value(SQL.count_rests)
    return found


def letters(texts: list[str] | None) -> str:
    return "" if texts is None else "".join(text[0] for text in texts if len(set(text)) == 1 and len(text) == 1000)


async def test_the_rest_comes_at_once_part_by_part_without_the_instance(world: RelayWorld):
    first = await answer(world)
    second = await world.say(MORE)
    third = await press(world)

    assert (letters(texts_of(first)), first["template"]["quickReplies"]) == ("가나다", [BUTTON])
    assert isinstance(second, Direct)
    assert (letters(texts_of(second.skill)), second.skill["template"]["quickReplies"]) == ("라마바", [BUTTON])
    assert letters(third) == "사"
    assert await world.read() == []
    # it has been shown whole: the same word is a message like any other
    assert await press(world) is None
    assert [one.letter.normalized["text"] for one in await world.read()] == [MORE]


async def test_an_answer_that_fits_has_no_button_and_nothing_is_kept(world: RelayWorld):
    skill = await answer(world, "가" * 3000)

    assert ("quickReplies" in skill["template"], await count_kept(world)) == (False, 0)
    assert await press(world) is None


async def test_what_is_said_in_between_goes_to_the_instance_and_the_rest_stays(world: RelayWorld):
    await answer(world)

    assert await press(world, text="다른 질문") is None
    assert [one.letter.normalized["text"] for one in await world.read()] == ["다른 질문"]
    assert letters(await press(world)) == "라마바"


async def test_a_newer_long_answer_takes_its_place(world: RelayWorld):
    await answer(world)
    await answer(world, "파" * 3500)

    assert await press(world) == ["파" * 500]


async def test_nobody_else_gets_it(world: RelayWorld):
    await world.pair("lee")
    await answer(world)

    assert await press(world, "lee") is None
    assert await press(world, "stranger") == [own.UNPAIRED[0].default]
    assert letters(await press(world)) == "라마바"


async def test_it_is_kept_for_the_queue_time(world: RelayWorld):
    await answer(world)
    await clock.advance(world.db, timedelta(minutes=14))
    await clean_up_once(world.db)
    assert await count_kept(world) == 1

    await clock.advance(world.db, timedelta(minutes=1, seconds=1))
    await world.read()
    assert await press(world) is None
    await clean_up_once(world.db)
    assert await count_kept(world) == 0


async def test_the_same_press_that_comes_again_is_answered_alike(world: RelayWorld):
    await answer(world)
    first = await press(world, url=callback(901))
    again = await press(world, url=callback(901))

    assert (letters(first), again) == ("라마바", first)
    assert letters(await press(world, url=callback(902))) == "사"
    assert letters(await press(world, url=callback(902))) == "사"


async def test_whoever_unpairs_leaves_it_behind(world: RelayWorld):
    await answer(world)
    await world.hear("/unpair")
    await world.pair("kim")

    assert await press(world) is None


@pytest.mark.parametrize(("result", "kept"), [(Rejected("no"), 0), (Unclear("ReadTimeout"), 1)])
async def test_it_is_offered_only_where_its_first_part_may_have_been_seen(
    world: RelayWorld, result: CallResult, kept: int
):
    await answer(world, LONG, result)

    assert await count_kept(world) == kept


async def test_on_the_line_too(world: RelayWorld):
    waits = await world.say("길게", url=None)
    assert isinstance(waits, Waits)
    await world.reply(waits.uid, LONG)
    async with world.db.transaction() as tx:
        skill = await receiving.finish_waiting(tx, waits, is_over=False)

    assert skill is not None
    assert (letters(texts_of(skill)), skill["template"]["quickReplies"]) == ("가나다", [BUTTON])
    await world.read()
    assert letters(await press(world, url=None)) == "라마바"


async def test_who_reads_english_has_an_english_button(world: RelayWorld):
    skill = await answer(world, lang="en")

    assert skill["template"]["quickReplies"][0]["label"] == "Show more"
    assert letters(await press(world, text="Show more", lang="en")) == "라마바"


async def test_its_text_is_a_setting_and_without_one_there_is_no_button(world: RelayWorld):
    await set_value(world.db, own.MORE[0], "계속 읽기")
    skill = await answer(world)
    assert skill["template"]["quickReplies"][0]["messageText"] == "계속 읽기"
    assert letters(await press(world, text="계속 읽기")) == "라마바"

    await set_value(world.db, own.MORE[0], "")
    skill = await answer(world)
    assert "quickReplies" not in skill["template"]


async def test_the_instance_hears_that_it_did_not_fit_and_is_offered(world: RelayWorld):
    await world.say("질문")
    taken = await world.reply((await world.newest()).uid, LONG)
    await set_value(world.db, own.MORE[0], "")
    await world.say("질문")
    without = await world.reply((await world.newest()).uid, LONG)

    [offered], [lost] = taken.notes, without.notes
    assert (offered.code, lost.code) == ("left_out", "left_out")
    assert ("4" in offered.text[0], "‘더 보기’ 버튼" in offered.text[1]) == (True, True)
    assert "not sent" in lost.text[0]
