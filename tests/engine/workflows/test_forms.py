"""The declared form: what is written reads as data and can be written again; every mistake is found at its line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.engine.workflows import checking, forms, yaml_form
from pabal.engine.workflows.mistakes import SENTENCES, WorkflowRefused
from pabal.engine.workflows.model import read_duration, show_duration
from tests.engine.workflows.kinds_of_steps import KINDS

FLOW = """\
name: price_watch
title: 가격 알림
input:
  url: {type: string, required: true}
  rooms: list
  limit: {type: number, default: 500}
steps:
  - name: read
    kind: web.read
    input:
      url: {from: input.url}
    retries: 3
  - name: tell
    kind: chat.send@1
    when: {path: steps.read.price, op: ">=", value_from: input.limit}
    for_each: {from: input.rooms}
    input:
      room: {from: item}
      text: {text: "It is {steps.read.price}"}
    on_error: compensate
    compensate: {kind: chat.send, input: {room: {from: item}, text: sorry}}
  - name: a_day
    wait: {for: 1d}
    needs: [read]
output:
  price: {from: steps.read.price}
"""


@pytest.mark.req("D-33")
def test_what_is_written_reads_as_the_same_workflow_again():
    workflow = checking.read_yaml(FLOW, KINDS)

    again = checking.read_yaml(yaml_form.show_workflow(workflow), KINDS)
    by_json = checking.read_data(json.loads(json.dumps(forms.as_data(workflow))), KINDS)

    assert workflow == again == by_json
    assert [step.needs for step in workflow.steps] == [(), ("read",), ("read",)]
    assert [step.kind for step in workflow.steps] == ["web.read@1", "chat.send@1", ""]


def test_a_kind_without_a_version_is_saved_with_the_newest():
    workflow = checking.read_yaml("name: a\nsteps:\n  - {name: b, kind: data.copy}\n", KINDS)

    assert workflow.steps[0].kind == "data.copy@2"


WRONG = [
    ("name: price_watch", "name: Price", 1, "bad_name"),
    ("title: 가격 알림", "titel: 가격", 2, "unknown_field"),
    ("type: string, required: true", "type: text", 4, "bad_choice"),
    ("kind: web.read\n", "kind: web.reed\n", 9, "unknown_kind"),
    ("chat.send@1", "chat.send@7", 14, "unknown_version"),
    ("chat.send@1", "chat", 14, "bad_kind"),
    ("{from: input.url}", "{from: input.uri}", 11, "unknown_input"),
    ("url: {from: input.url}", "{}", 10, "missing_value"),
    ("url: {from: input.url}", "url: 7", 11, "bad_value"),
    ("retries: 3", "retries: 300", 12, "bad_type"),
    ("retries: 3", "retry_after: soon", 12, "bad_duration"),
    ("path: steps.read.price", "path: steps.read.prize", 15, "unknown_output"),
    ("path: steps.read.price", "path: price", 15, "bad_reference"),
    ('op: ">="', "op: above", 15, "bad_condition"),
    ("for_each: {from: input.rooms}", "title: no list", 18, "item_outside"),
    ("room: {from: item}", "room: {from: steps.read.tags.0}", 18, "destination_from_outside"),
    ("room: {from: item}", "room: {from: item}\n      rom: x", 19, "unknown_value"),
    ("on_error: compensate", "on_error: give_up", 20, "bad_choice"),
    ("wait: {for: 1d}", "wait: {for: 1d, event: x}", 23, "bad_wait"),
    ("wait: {for: 1d}", "kind: data.copy\n    wait: {for: 1d}", 22, "kind_or_wait"),
    ("needs: [read]", "needs: [reed]", 24, "unknown_need"),
    ("needs: [read]", "needs: [a_day]", 7, "cycle"),
    ("name: a_day", "name: tell", 22, "duplicate_name"),
    ("price: {from: steps.read.price}", "price: {from: steps.reed.price}", 26, "bad_reference"),
    ("retries: 3", "retries: 3\n    retries: 4", 13, "yaml_duplicate_key"),
    ("title: 가격 알림", "title: !!python/object:os.system x", 2, "yaml_tag"),
    ("title: 가격 알림", 'title: "가격', 3, "yaml_invalid"),
]


@pytest.mark.req("D-33")
@pytest.mark.parametrize(("old", "new", "line", "code"), WRONG, ids=[f"{one[3]}-{one[2]}" for one in WRONG])
def test_every_mistake_is_found_at_its_line(old: str, new: str, line: int, code: str):
    assert old in FLOW

    found = checking.find_mistakes(FLOW.replace(old, new, 1), KINDS)

    if code == "yaml_invalid":
        assert [one.code for one in found] == [code]
        return
    assert (line, code) in [(one.line, one.code) for one in found]
    assert all(one.text and one.code in SENTENCES for one in found)


def test_all_mistakes_are_found_at_once():
    text = (
        FLOW.replace("web.read\n", "web.reed\n").replace("chat.send@1", "chat.send@9").replace("from: item", "from: x")
    )

    found = checking.find_mistakes(text, KINDS)

    assert [(one.line, one.code) for one in found] == [
        (9, "unknown_kind"),
        (14, "unknown_version"),
        (18, "bad_reference"),
        (21, "bad_reference"),
    ]


def test_a_reference_to_a_step_that_may_not_be_over_is_refused():
    text = FLOW.replace("needs: [read]", "needs: []\n    when: {path: steps.read.price, op: exists}")

    assert [(one.line, one.code) for one in checking.find_mistakes(text, KINDS)] == [(25, "not_needed_before")]


@pytest.mark.req("D-33")
@pytest.mark.parametrize(
    "between",
    [
        "- {name: middle, kind: data.copy, input: {any: {from: steps.read.tags}}}",
        "- {name: middle, kind: data.copy, for_each: {from: steps.read.tags}, input: {any: {from: item}}}",
        "- {name: middle, wait: {event: order.paid}}",
        "- {name: middle, wait: {workflow: other}}",
    ],
)
def test_what_was_written_outside_says_nowhere_where_something_goes_also_not_by_a_step_between(between: str):
    text = f"""\
name: a
steps:
  - {{name: read, kind: web.read, input: {{url: "https://example.com"}}}}
  {between}
  - name: send
    kind: chat.send
    input:
      text: {{text: "{{steps.middle}}"}}
      room: {{text: "room {{steps.middle}}"}}
"""
    assert [(one.line, one.code) for one in checking.find_mistakes(text, KINDS)] == [(9, "destination_from_outside")]


def test_an_item_of_what_was_read_outside_says_nowhere_where_something_goes():
    text = """\
name: a
steps:
  - {name: read, kind: web.read, input: {url: "https://example.com"}}
  - name: send
    kind: chat.send
    for_each: {from: steps.read.tags}
    input: {text: "{item}", room: {from: item}}
"""
    assert [(one.line, one.code) for one in checking.find_mistakes(text, KINDS)] == [(7, "destination_from_outside")]


STARTED = """\
name: a
start:
  event: order.paid
  when: {path: event.data.amount, op: ">", value: 0}
  input:
    room: {from: event.data.room}
    text: {text: "{event.key}"}
input: {room: string, text: string, url: {type: string, required: true, default: x}}
steps:
  - {name: send, kind: chat.send, input: {text: {from: input.text}, room: house}}
"""


def test_what_starts_a_workflow_is_the_same_after_writing_and_reading():
    read = checking.read_yaml(STARTED, KINDS)

    assert read.start is not None
    assert (read.start.event, set(read.start.input)) == ("order.paid", {"room", "text"})
    assert checking.read_yaml(yaml_form.show_workflow(read), KINDS) == read


@pytest.mark.parametrize(
    ("written", "wrong", "line", "code"),
    [
        ("event: order.paid", "event: order paid!", 3, "bad_event"),
        ("  event: order.paid\n", "", 2, "bad_event"),
        ("event: order.paid", "event: order.paid\n  every: 1h", 4, "unknown_field"),
        ('op: ">"', "op: like", 4, "bad_condition"),
        ("path: event.data.amount", "path: input.room", 4, "only_event"),
        ("{from: event.data.room}", "{from: steps.send.id}", 6, "only_event"),
        ("    room: {", "    rooms: {", 6, "unknown_value"),
        ('{text: "{event.key}"}', "7", 7, "bad_value"),
        ("required: true, default: x", "required: true", 5, "missing_value"),
        ("room: house", "room: {from: input.room}", 10, "destination_from_outside"),
        ("room: house", "room: {from: event.key}", 10, "bad_reference"),
    ],
)
def test_a_mistake_in_what_starts_a_workflow_is_found_at_its_line(written: str, wrong: str, line: int, code: str):
    assert written in STARTED

    found = checking.find_mistakes(STARTED.replace(written, wrong), KINDS)

    assert (line, code) in [(one.line, one.code) for one in found]


def test_a_secret_has_no_default_that_everybody_could_read():
    text = (
        "name: a\ninput:\n  key: {type: string, secret: true, default: hunter2}\n"
        "steps:\n  - {name: w, wait: {for: 1s}}\n"
    )

    assert [(one.line, one.code) for one in checking.find_mistakes(text, KINDS)] == [(3, "secret_default")]


def test_inputs_that_say_where_something_goes_are_known_also_by_way_of_a_step():
    text = """\
name: a
input: {room: string, text: string, far: string}
steps:
  - {name: copy, kind: data.copy, input: {any: {from: input.far}}}
  - {name: send, kind: chat.send, input: {text: {from: input.text}, room: {text: "{input.room} {steps.copy}"}}}
"""
    assert checking.list_destinations(checking.read_yaml(text, KINDS), KINDS) == ["room", "far"]


def test_a_bomb_of_aliases_is_refused():
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]

    found = yaml_form.read_text("\n".join(lines))

    assert {one.code for one in found.mistakes} == {"yaml_alias"}


def test_what_is_too_large_or_too_deep_is_refused():
    large = yaml_form.read_text("x" * (yaml_form.LARGEST + 1))
    deep = yaml_form.read_text("[" * 60 + "]" * 60)
    deepest = yaml_form.read_text("[" * 50_000)

    codes = [one.mistakes[0].code for one in (large, deep, deepest)]
    assert codes == ["yaml_too_large", "yaml_too_deep", "yaml_invalid"]


@pytest.mark.parametrize("text", ["no", "on", "1:30", "0o17", "2026-03-01", ".inf", "yes", "1_000"])
def test_words_that_older_yaml_turned_into_something_else_stay_words(text: str):
    assert yaml_form.read_text(f"a: {text}").data == {"a": text}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_whatever_is_data_is_the_same_after_writing_and_reading(data: dict[str, Any]):
    written = yaml_form.read_text(yaml_form.show_data(data))

    assert written.mistakes == ()
    assert written.data == data


@given(st.text(max_size=200))
def test_whatever_somebody_writes_that_is_no_workflow_has_mistakes(text: str):
    with pytest.raises(WorkflowRefused) as refused:
        checking.read_yaml(text, KINDS)

    assert refused.value.mistakes


@given(st.integers(1, 10**7))
def test_durations_read_as_they_are_shown(seconds: int):
    [found] = {read_duration(show_duration(d)) for d in [read_duration(f"{seconds}s")] if d is not None}

    assert found is not None
    assert found.total_seconds() == seconds
