"""The form of a rule: conditions, payload and callbacks are rows that a person fills without writing JSON."""

from typing import Any

import pytest
from httpx2 import Response

from pabal.apps.rules.model.rules import Rule
from pabal.apps.rules.store import rules
from pabal.base.settings import Settings
from pabal.platform import notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.notifications import ChannelForm, Level
from pabal.platform.workflows import Workflows, make_step_kinds
from tests.apps.rules.pages.typed import find_error, read_form
from tests.support.rules import HOUSE, RulesWorld, make_rules
from tests.support.telegram import TOKEN, VAULT
from tests.support.web import Web

ENGLISH = {"Accept": "text/html", "Accept-Language": "en"}
KOREAN = {"Accept": "text/html", "Accept-Language": "ko"}
NEW = "/rules/new"
FLOWS = Workflows(make_step_kinds(()))
# what the form of a new rule is filled with is taken out first
EMPTY = ("remove:payload-1", "remove:payload-0", "remove:condition-0", "remove:on_success-0")


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.fixture
async def world(web: Web) -> RulesWorld:
    return await make_rules(web.db, web.tree)


@pytest.fixture
async def person(web: Web, world: RulesWorld) -> Any:
    return await web.as_("haeundae", Role.OPERATOR, by="session")


async def _press(person: Any, typed: dict[str, str], *buttons: str) -> dict[str, str]:
    """The form as it is after these buttons."""
    for button in buttons:
        page = await person.post(NEW, data={**typed, "do": button}, headers=ENGLISH)
        assert page.status_code == 200, page.text[:500]
        typed = read_form(page.text)
    return typed


async def _saved(world: RulesWorld, answer: Response) -> Rule:
    assert answer.status_code == 303, answer.text[:3000]
    async with world.db.transaction() as tx:
        found = (await rules.list_rules(tx, HOUSE)).items
    return next(one for one in found if str(one.id) in answer.headers["location"])


@pytest.mark.req("D-46")
async def test_a_rule_is_written_row_by_row_without_a_script_and_without_json(person: Any, world: RulesWorld):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)
    typed = await _press(person, {**shown, "name": "주가"}, *EMPTY, "add:payload", "add:payload", "add:payload")
    typed |= {"payload-0-key": "ticker", "payload-0-value": "NVDA"}
    typed |= {"payload-1-key": "target", "payload-1-kind": "number", "payload-1-value": "1,200.5"}
    typed |= {"payload-2-key": "weekends", "payload-2-kind": "yes_no", "payload-2-value": "거짓"}
    typed = await _press(person, typed, "add:condition", "add:condition", "add:condition", "add:condition")
    typed |= {"condition-0-path": "price", "condition-0-kind": "payload", "condition-0-value": "target"}
    typed |= {"condition-1-path": "change_percent", "condition-1-op": "<", "condition-1-value": "-5"}
    typed |= {"condition-2-path": "currency", "condition-2-op": "==", "condition-2-kind": "text"}
    typed |= {"condition-2-value": "USD", "condition-3-path": "halted", "condition-3-op": "absent"}
    typed["condition-join"] = "any"
    typed = await _press(person, {**typed, "on_success-new": "event"}, "add:on_success")
    typed |= {"on_success-0-name": "price.reached", "on_success-0-when": "condition"}
    typed = await _press(person, {**typed, "on_failure-new": "log"}, "add:on_failure")
    typed |= {"on_failure-0-level": "warning", "on_failure-0-template": "{rule_name}:\r\n{message}"}

    kept = await _saved(world, await person.post(NEW, data=typed))

    assert kept.name == "주가"
    assert kept.payload == {"ticker": "NVDA", "target": 1200.5, "weekends": False}
    assert kept.condition == {
        "any": [
            {"path": "price", "op": ">=", "value_from": "target"},
            {"path": "change_percent", "op": "<", "value": -5},
            {"path": "currency", "op": "==", "value": "USD"},
            {"path": "halted", "op": "exists", "value": False},
        ]
    }
    assert kept.on_success == [{"type": "event", "config": {"name": "price.reached"}, "when": "condition"}]
    assert kept.on_failure == [
        {"type": "log", "config": {"level": "warning", "template": "{rule_name}:\n{message}"}},
    ]


async def test_the_form_of_a_new_rule_is_one_that_can_be_saved_as_it_is(person: Any, world: RulesWorld):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)

    kept = await _saved(world, await person.post(NEW, data={**shown, "name": "첫 룰"}))

    assert kept.payload == {"ticker": "AAPL", "target": 200}
    assert kept.condition == {"path": "price", "op": ">=", "value_from": "target"}
    assert kept.on_success == [{"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}]


async def test_a_row_in_the_middle_goes_and_the_others_stay_in_their_order(person: Any, world: RulesWorld):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)
    typed = await _press(person, {**shown, "name": "값"}, "add:payload", "add:payload")
    typed |= {f"payload-{n}-key": f"key_{n}" for n in range(4)}

    typed = await _press(person, typed, "remove:payload-1", "add:payload")

    assert [typed[f"payload-{n}-key"] for n in range(4)] == ["key_0", "key_2", "key_3", ""]
    # a row that nothing was written into says nothing
    kept = await _saved(world, await person.post(NEW, data=typed))
    assert list(kept.payload) == ["key_0", "key_2", "key_3"]


async def test_whoever_adds_a_row_goes_on_in_it(person: Any):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)

    for button, field in (
        ("add:condition", 'id="condition-1-path"'),
        ("add:payload", 'id="payload-2-key"'),
        ("add:on_failure", 'id="on_failure-0-channel"'),
        ("remove:condition-0", 'id="condition-add"'),
    ):
        page = (await person.post(NEW, data={**shown, "do": button}, headers=ENGLISH)).text
        place = page.index(field)
        assert "autofocus" in page[place : page.index(">", place)], button


ROUND_TRIPS: dict[str, dict[str, Any]] = {
    "nothing": {"payload": {}, "condition": None, "on_success": [], "on_failure": []},
    "values of every kind": {
        "payload": {
            "a": 1,
            "b": 1.5,
            "c": "1",
            "d": True,
            "e": None,
            "f": [1, {"g": 2}],
            "h": " x ",
            "i": "1\n2",
            "j": "",
        },
    },
    "odd keys": {"payload": {" a": 1, "": 2, "b\n": 3, 'quo"te<': "x"}},
    "more keys than rows": {"payload": {f"key_{n}": n for n in range(60)}},
    "a comparison": {"condition": {"path": "price", "op": "==", "value": "500"}},
    "a list of one": {"condition": {"any": [{"path": "price", "op": ">=", "value": 500.0}]}},
    "a list": {"condition": {"all": [{"path": "a", "op": "exists"}, {"path": "b", "op": "exists", "value": True}]}},
    "groups within a group": {
        "condition": {"any": [{"path": "a", "op": "==", "value": 1}, {"all": [{"path": "b", "op": "<", "value": 2}]}]}
    },
    "compared with a list": {"condition": {"path": "a", "op": "contains", "value": ["x"]}},
    "compared with nothing": {"condition": {"path": "a", "op": "==", "value": None}},
    "every kind of callback": {
        "on_success": [
            {
                "type": "telegram",
                "config": {"template": " {price}\r\n원 ", "chat_id": "-100", "channel": "가 버린 채널"},
            },
            {"type": "task", "config": {"template": "할까요?"}},
            {"type": "approval", "config": {"then": "7f0c2c3e-0000-4000-8000-000000000000"}, "when": "always"},
            {"type": "workflow", "config": {"workflow": "hello", "input": {"who": "{message}", "n": [1, 2]}}},
            {"type": "event", "config": {"name": "a.b", "key": "k"}, "when": None},
            {"type": "webhook"},
        ],
        "on_failure": [
            {"type": "log", "config": {"level": "quiet"}, "when": "changed"},
            {"type": "email", "config": {}},
        ],
    },
    "more inputs than rows": {
        "on_success": [{"type": "workflow", "config": {"workflow": "hello", "input": {f"k{n}": n for n in range(30)}}}]
    },
}


async def test_saving_a_rule_as_its_form_shows_it_changes_nothing(person: Any, world: RulesWorld):
    for case, given in ROUND_TRIPS.items():
        rule = await world.rule(**{"source": "offline_quote", **given})
        shown = read_form((await person.get(f"/rules/{rule.id}/edit", headers=ENGLISH)).text)

        # a button that changes nothing of them in between
        looked = await person.post(f"/rules/{rule.id}/edit", data={**shown, "preview": "yes"}, headers=ENGLISH)
        saved = await person.post(f"/rules/{rule.id}/edit", data={**read_form(looked.text), "name": "다른 이름"})

        assert saved.status_code == 303, (case, saved.text[:3000])
        after = await world.look(rule)
        assert after.name == "다른 이름"
        for field in ("payload", "condition", "on_success", "on_failure"):
            assert getattr(after, field) == getattr(rule, field), (case, field)
        assert [type(value) for value in after.payload.values()] == [type(value) for value in rule.payload.values()]


async def test_a_condition_of_groups_within_groups_is_shown_in_words_and_can_be_replaced(
    person: Any, world: RulesWorld
):
    inner = {"all": [{"path": "b", "op": "<", "value": 2}, {"path": "c", "op": "exists"}]}
    rule = await world.rule(condition={"any": [{"path": "a", "op": "==", "value": 1}, inner]})
    page = await person.get(f"/rules/{rule.id}/edit", headers=ENGLISH)

    assert "(a == 1 or (b &lt; 2 and c exists))" in page.text
    assert "cannot be shown as rows" in page.text
    assert "condition-0-path" not in page.text
    anew = await person.post(f"/rules/{rule.id}/edit", data={**read_form(page.text), "do": "anew:condition"})
    typed = read_form(anew.text) | {"condition-0-path": "price", "condition-0-value": "3"}
    await person.post(f"/rules/{rule.id}/edit", data=typed)
    assert (await world.look(rule)).condition == {"path": "price", "op": ">=", "value": 3}


WRONG: dict[str, tuple[dict[str, str], str, str]] = {
    "no key": ({"payload-0-key": ""}, "payload-0-key", "키를 적어"),
    "the same key": ({"payload-1-key": "ticker"}, "payload-1-key", "두 번"),
    "no number": ({"payload-1-value": "이백"}, "payload-1-value", "숫자"),
    "a number too large": ({"payload-1-value": "1e999"}, "payload-1-value", "숫자"),
    "neither true nor false": ({"payload-0-kind": "yes_no"}, "payload-0-value", "참"),
    "no JSON": ({"payload-0-kind": "json", "payload-0-value": "[1"}, "payload-0-value", "목록"),
    "NaN": ({"payload-0-kind": "json", "payload-0-value": "[NaN]"}, "payload-0-value", "목록"),
    "no field": ({"condition-0-path": ""}, "condition-0-path", "비교할 항목"),
    "a long field": ({"condition-0-path": "p" * 201}, "condition-0-path", "200자"),
    "no number to compare": ({"condition-0-kind": "number"}, "condition-0-value", "숫자"),
    "no key to compare": ({"condition-0-value": ""}, "condition-0-value", "전달 데이터의 키"),
    "a long text": ({"on_success-0-template": "가" * 2001}, "on_success-0-template", "2000자"),
    "a channel of nobody": ({"on_success-0-channel": "없는 채널"}, "on_success-0-channel", "쓸 수 없는 채널"),
    "an event without a name": ({"on_success-0-type": "event"}, "on_success-0-name", "이벤트 이름"),
    "an event's key": (
        {"on_success-0-type": "event", "on_success-0-name": "a", "on_success-0-key": "\x07"},
        "on_success-0-key",
        "키",
    ),
    "no workflow": ({"on_success-0-type": "workflow"}, "on_success-0-workflow", "워크플로우"),
    "no such rule": ({"on_success-0-type": "approval", "on_success-0-then": "x"}, "on_success-0-then", "룰"),
    "more than twenty": ({f"on_failure-{n}-type": "log" for n in range(21)}, "on_failure", "20개"),
    "more than can be compared": (
        {f"condition-{n}-{field}": text for n in range(1, 51) for field, text in (("path", "p"), ("value", "1"))},
        "condition",
        "49개",
    ),
    "lost on the way": ({"on_success-0-type": "", "on_success-0-kept": "{"}, "on_success-0", "온전히"),
    "a condition lost on the way": ({"condition-closed": "yes", "condition-kept": "{"}, "condition", "온전히"),
}


async def test_a_refusal_names_its_field_in_both_languages_and_keeps_what_was_typed(person: Any, world: RulesWorld):
    new = read_form((await person.get(NEW, headers=ENGLISH)).text) | {"name": "틀린 룰"}
    for case, (typed, field, said) in WRONG.items():
        sent = new | typed

        korean = await person.post(NEW, data=sent, headers=KOREAN)
        english = await person.post(NEW, data=sent, headers=ENGLISH)

        assert (korean.status_code, english.status_code) == (422, 422), case
        assert said in find_error(korean.text, field), case
        assert find_error(english.text, field).isascii(), case
        assert find_error(english.text, field), case
        # the summary leads to what is there
        assert f'href="#{field}"' in english.text, case
        assert f'id="{field}"' in english.text, case
        again = read_form(english.text)
        kept = {name: text.strip() for name, text in sent.items() if name in again}
        assert {name: again[name] for name in kept} == kept, case
        assert set(typed) - {"condition-closed"} <= set(again), case
    async with world.db.transaction() as tx:
        assert (await rules.list_rules(tx, HOUSE)).items == []


async def test_what_the_house_refuses_of_a_whole_part_stands_at_that_part(person: Any):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)

    refused = await person.post(NEW, data={**shown, "name": "큰 룰", "payload-0-value": "x" * 70_000}, headers=ENGLISH)

    assert refused.status_code == 422
    assert "64 KB" in find_error(refused.text, "payload")
    assert 'id="payload"' in refused.text


@pytest.mark.parametrize("headers", [KOREAN, ENGLISH])
async def test_every_way_of_telling_has_its_fields_and_texts_show_their_keys(person: Any, headers: dict[str, str]):
    shown = read_form((await person.get(NEW, headers=headers)).text)
    expected = {
        "telegram": {"channel", "chat_id", "template", "when"},
        "email": {"channel", "template", "when"},
        "webhook": {"channel", "template", "when"},
        "approval": {"then", "template", "when"},
        "workflow": {"workflow", "when"},
        "event": {"name", "key", "when"},
        "log": {"level", "template", "when"},
    }

    for kind, fields in expected.items():
        page = await person.post(NEW, data={**shown, "on_success-new": kind, "do": "add:on_success"}, headers=headers)
        typed = read_form(page.text)
        assert typed["on_success-1-type"] == kind
        found = {name.removeprefix("on_success-1-") for name in typed if name.startswith("on_success-1-")}
        assert found == {*fields, "type", "kept"}
        for key in ("{price}", "{target}", "{rule_name}", "{message}"):
            assert f"<code>{key}</code>" in page.text


@pytest.mark.req("D-67")
async def test_channels_workflows_and_rules_are_chosen_from_those_that_are_there(
    web: Web, person: Any, world: RulesWorld
):
    """Of the rule's unit and above, and nothing of anybody else."""
    async with world.db.transaction() as tx:
        for unit, name in ((web.tree.haeundae, "지점방"), (web.tree.hq, "본사방"), (web.tree.gangnam, "남의 방")):
            await notifications.add_channel(tx, ENGINE, VAULT, ChannelForm(name, "-1", TOKEN), unit_id=unit.id)
        for unit, flow in ((web.tree.haeundae, "ours"), (web.tree.gangnam, "theirs")):
            text = f"name: {flow}\nseen_by: viewer\nsteps:\n  - {{name: wait, wait: {{event: never}}}}\n"
            await FLOWS.save(tx, ENGINE, text, unit_id=unit.id)
    other = await world.rule("이어서 할 룰")
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)
    foreign = {**shown, "name": "고르기", "unit_id": str(web.tree.gangnam.id)}

    for typed in (shown, foreign):
        page = await person.post(NEW, data={**typed, "on_success-new": "approval", "do": "add:on_success"})
        page = await person.post(
            NEW, data={**read_form(page.text), "on_success-new": "workflow", "do": "add:on_success"}, headers=ENGLISH
        )
        for name in ("지점방", "본사방", "이어서 할 룰"):
            assert name in page.text, name
        assert '<option value="ours"' in page.text
        assert "남의 방" not in page.text
        assert '<option value="theirs"' not in page.text
    typed = read_form(page.text) | {
        "on_success-0-channel": "지점방",
        "on_success-1-then": str(other.id),
        "name": "고르기",
    }
    typed |= {"on_success-2-workflow": "ours", "unit_id": shown["unit_id"]}
    typed = await _press(
        person, typed, "add:on_success-2-input", "add:on_success-2-input", "remove:on_success-2-input-0"
    )
    typed |= {"on_success-2-input-0-key": "who", "on_success-2-input-0-value": "{message}"}
    kept = await _saved(world, await person.post(NEW, data=typed))

    assert [one["config"] for one in kept.on_success] == [
        {"template": "{ticker} {price}", "channel": "지점방"},
        {"then": str(other.id)},
        {"workflow": "ours", "input": {"who": "{message}"}},
    ]


async def test_a_channel_that_takes_no_news_of_a_success_says_so(web: Web, person: Any, world: RulesWorld):
    async with world.db.transaction() as tx:
        for name, level in (("큰일만", Level.ATTENTION), ("전부", Level.INFO)):
            given = ChannelForm(name, "-1", TOKEN, least_level=level)
            await notifications.add_channel(tx, ENGINE, VAULT, given, unit_id=web.tree.haeundae.id)
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)

    page = (await person.post(NEW, data={**shown, "do": "add:on_failure"}, headers=ENGLISH)).text

    assert page.count(">큰일만 (takes no news of a success)<") == 1
    # a failure is worth their attention
    assert page.count(">큰일만<") == 1
    assert page.count(">전부<") == 2


async def test_everything_that_is_wrong_is_said_at_once(person: Any):
    shown = read_form((await person.get(NEW, headers=ENGLISH)).text)
    typed = {**shown, "name": "", "schedule": "8 uhr", "payload-1-value": "x", "timeout_seconds": "0"}

    page = (await person.post(NEW, data=typed, headers=ENGLISH)).text

    assert all(find_error(page, field) for field in ("name", "schedule", "payload-1-value", "timeout_seconds"))
