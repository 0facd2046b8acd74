"""A workflow asks an OpenClaw instance: once, and it goes on with the answer, or without one when its time is over."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.errors import CallbackExpired
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.messages import CALL_BACK, End
from pabal.apps.relay.model.skill import read_request
from pabal.apps.relay.steps import STEPS
from pabal.apps.relay.store import live
from pabal.apps.relay.store.conversations import list_conversations
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import checking, listing
from pabal.engine.workflows.listing import RunRow
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.strands import Strands
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewUser
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.slice import Slice
from pabal.platform.workflows import Workflows
from pabal.testing import Parts, advance, drain, list_enqueued
from tests.support.relay import HOUSE, RelayWorld, add_account, payload

FLOWS = Workflows(make_step_kinds((Slice("relay", steps=STEPS),)))
ASK = """\
name: ask
input: {{account: {{type: string, default: "{account}"}}}}
steps:
  - {{name: ask, kind: relay.ask, input: {{account: {{from: input.account}}, text: "몇 시예요?", within: 5m}}}}
output: {{said: {{from: steps.ask.text}}}}
"""


def parts(world: RelayWorld) -> Parts:
    return Parts(world.db, Strands(world.db, FLOWS.kinds).add_to(Kinds()), (WORKFLOW_RUN,))


async def start(world: RelayWorld, **given: Any) -> int:
    """In the name of an operator of Haeundae."""
    async with world.db.transaction() as tx:
        user = NewUser("owner", "owner", world.tree.haeundae.id, Role.OPERATOR)
        owner = (await auth.add_user(tx, ENGINE, user)).actor()
        saved = await FLOWS.save(tx, owner, ASK.format(account=world.account.account.id))
        run = await FLOWS.start(tx, owner, saved.id, given)
    await drain(parts(world))
    return run


async def look(world: RelayWorld, run: int) -> RunRow:
    async with world.db.transaction() as tx:
        return await listing.get_run(tx, run, units=None)


async def test_the_instance_reads_the_question_and_the_run_goes_on_with_its_answer(world: RelayWorld):
    run = await start(world)
    [handed] = await world.read()

    await world.reply(handed.letter.uid, "세 시요.", "곧 닫아요.")
    await drain(parts(world))

    assert handed.letter.normalized["text"] == "몇 시예요?"
    over = await look(world, run)
    assert (over.state, over.output) == ("done", {"said": "세 시요.\n곧 닫아요."})
    asked = await world.newest()
    assert (asked.end_reason, asked.asked_by) == (End.QUESTION_ANSWERED, f"workflow_run:{run}")


async def test_it_is_asked_once_and_only_the_first_answer_counts(world: RelayWorld):
    run = await start(world)
    await drain(parts(world))
    [handed] = await world.read()

    for text in ("세 시요.", "세 시요.", "아니, 네 시요."):
        await world.reply(handed.letter.uid, text)
        await drain(parts(world))

    assert (await look(world, run)).output == {"said": "세 시요."}
    assert await world.read() == []


async def test_nothing_of_it_reaches_a_user_or_the_figures(world: RelayWorld):
    await start(world)
    [handed] = await world.read()
    await world.reply(handed.letter.uid, "세 시요.")
    await drain(parts(world))

    assert await list_enqueued(world.db, CALL_BACK) == []
    async with world.db.transaction() as tx:
        figures = await live.read_figures(tx, HOUSE, since=tx.now - timedelta(hours=1), failed_since=tx.now)
        shown = await list_conversations(tx, HOUSE, limit=50)
    assert (figures.answered, figures.ended) == (0, 0)
    assert [one for one in shown.items if one.kakao_channel_id == "question"] == []
    # nor may a webhook speak in its place
    assert read_request(payload() | {"bot": {"id": "question"}}) is None


async def test_no_answer_in_time_fails_the_step_and_a_late_one_is_refused(world: RelayWorld):
    run = await start(world)
    [handed] = await world.read()

    await advance(parts(world), timedelta(minutes=6))

    over = await look(world, run)
    assert over.state == "failed"
    assert (await world.newest()).end_reason == End.QUESTION_WITHDRAWN
    with pytest.raises(CallbackExpired):
        await world.reply(handed.letter.uid, "세 시요.")
    assert await expire_once(world.db) == 0


async def test_a_run_that_is_cancelled_takes_its_question_back(world: RelayWorld):
    run = await start(world)

    async with world.db.transaction() as tx:
        await FLOWS.cancel(tx, ENGINE, run, "enough")
    await drain(parts(world))

    assert (await look(world, run)).state == "cancelled"
    assert (await world.newest()).end_reason == End.QUESTION_WITHDRAWN
    assert await world.read() == []


async def test_an_account_out_of_its_owners_sight_is_not_asked(world: RelayWorld):
    stranger = await add_account(world.db, world.tree.busan.id, "남의 비서")

    run = await start(world, account=str(stranger.account.id))

    over = await look(world, run)
    assert (over.state, await world.messages()) == ("failed", [])


def test_what_an_instance_answers_decides_nowhere_where_something_goes():
    text = ASK.format(account="6f0c6e3e-6f0b-4a35-8a0e-5a2f3c1b7d11").replace(
        "output:", "  - {name: tell, kind: platform.publish, input: {name: {from: steps.ask.text}}}\noutput:"
    )

    assert [one.code for one in checking.find_mistakes(text, FLOWS.kinds)] == ["destination_from_outside"]


def test_the_text_of_an_answer_is_all_that_can_be_read_in_it():
    card = {"textCard": {"title": "메뉴", "description": "국수", "buttons": [{"label": "주문", "action": "message"}]}}
    answer = outputs.read_answer({"version": "2.0", "template": {"outputs": [{"simpleText": {"text": "네"}}, card]}})

    assert isinstance(answer, outputs.Bubbles)
    assert outputs.text_of(answer) == "네\n메뉴\n국수"
