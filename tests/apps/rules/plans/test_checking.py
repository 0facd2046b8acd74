"""What may be proposed: kinds that the asker may use, what the loader takes, and nothing that hides what it does."""

import pytest

from pabal.apps.rules.plans.allowed import list_allowed
from pabal.apps.rules.plans.checking import CheckedPlan, check_plan, read_answer, read_refusal
from pabal.apps.rules.plans.model import PlanCost
from pabal.platform.actor import Actor, Role
from pabal.platform.workflows import make_step_kinds
from tests.support.planning import ALL_STEPS, NOTICE

KINDS = make_step_kinds(ALL_STEPS)
OPERATOR = Actor("user:3", 1, Role.OPERATOR)
NEWS = """\
name: news
steps:
  - {name: search, kind: rules.search, input: {topic: AI}, retries: 2}
  - {name: short, kind: rules.summarise, input: {topic: AI, articles: {from: steps.search.articles}}}
  - {name: report, kind: rules.report, input: {title: AI, text: {from: steps.short.text}}}
  - {name: rest, wait: {for: 5m}}
  - {name: tell, kind: platform.notify, input: {title: AI, text: {from: steps.short.text}}}
"""


def check(text: str, actor: Actor = OPERATOR) -> CheckedPlan:
    checked = check_plan(text, KINDS, actor, 7)
    assert isinstance(checked, CheckedPlan), checked
    return checked


def codes(text: str, actor: Actor = OPERATOR) -> list[str]:
    checked = check_plan(text, KINDS, actor, 7)
    return [one.code for one in checked] if isinstance(checked, list) else []


def step(kind: str, given: str = "{to: boss}") -> str:
    return f"name: x\nsteps:\n  - {{name: a, kind: {kind}, input: {given}}}\n"


def test_what_a_plan_takes_is_known_before_anything_runs():
    checked = check(NEWS)

    effects = {"network": 2, "reads_outside": 2, "money": 1, "files": 1, "messages": 1}
    assert checked.cost == PlanCost(steps=4, waits=1, calls=6, effects=effects)
    assert checked.cost.risks == ("sends", "costs", "writes")
    assert checked.rights == ("rules:write", "workflows:write")


@pytest.mark.req("D-10")
def test_a_kind_that_the_asker_may_not_use_is_not_there_for_them():
    assert codes(step("test.wipe")) == ["unknown_kind"]
    assert codes(step("test.wipe"), Actor("user:3", 1, Role.ADMIN)) == []
    # a token that may only propose plans with what its role could do; whoever approves is asked for more
    agent = Actor("token:5", 1, Role.OPERATOR, ("plans:write",))
    assert codes(NOTICE, agent) == []
    assert codes(step("test.wipe"), agent) == ["unknown_kind"]
    assert "test.wipe" not in {kind.name for kind in list_allowed(KINDS, OPERATOR)}


@pytest.mark.req("D-10")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        # what was read outside says where something goes
        (
            "name: x\nsteps:\n  - {name: s, kind: rules.search, input: {topic: AI}}\n"
            "  - {name: m, kind: test.mail, input: {to: {from: steps.s.articles.0.title}}}\n",
            "destination_from_outside",
        ),
        (
            "name: x\nsteps:\n  - {name: s, kind: rules.search, input: {topic: AI}}\n"
            "  - {name: z, kind: rules.summarise, input: {topic: AI, articles: {from: steps.s.articles}}}\n"
            "  - {name: r, kind: rules.report, input: {title: a, text: {from: steps.z.text}}}\n"
            "  - {name: m, kind: test.mail, input: {to: {text: 'x {steps.r.name}'}}}\n",
            "destination_from_outside",
        ),
        (
            "name: x\nsteps:\n  - {name: s, kind: rules.search, input: {topic: AI}}\n"
            "  - {name: t, kind: rules.search, input: {topic: AI, feeds: [{from: steps.s.articles.0.link}]}}\n",
            "destination_from_outside",
        ),
        # a kind by another name, a tag that makes an object, an anchor, a second document, a key twice
        (step("platform.notify@9"), "unknown_version"),
        (step("!!python/object/apply:os.system ['ls']"), "yaml_tag"),
        ("name: x\nsteps: &a\n  - {name: a, kind: platform.notify, input: {title: *a}}\n", "yaml_alias"),
        (f"{NOTICE}---\n{NOTICE}", "yaml_invalid"),
        (f"{NOTICE}steps: []\n", "yaml_duplicate_key"),
        # what is not said openly
        ("name: x\nsteps:\n  - {name: a, wait: {workflow: other}}\n", "plan_starts_workflow"),
        (NOTICE.replace("title: 인사\n", "input: {who: {type: string, required: true}}\n"), "plan_needs_input"),
        (f"{NOTICE}shell: rm -rf /\n", "unknown_field"),
        (
            "name: x\nsteps:\n"
            + "".join(f"  - {{name: s{n}, kind: platform.notify, input: {{title: a}}}}\n" for n in range(21)),
            "plan_too_long",
        ),
    ],
)
def test_what_the_checker_does_not_take_is_never_proposed(text: str, code: str):
    assert code in codes(text)


def test_a_plan_is_never_a_new_version_of_somebody_elses_workflow():
    checked = check(NOTICE)

    assert checked.workflow.name == "hello_7"
    assert checked.yaml.startswith("name: hello_7\n")
    assert check(checked.yaml).workflow.name == "hello_7"


def test_talk_and_fences_around_an_answer_are_taken_off():
    assert read_answer(f"Sure! Here it is:\n```yaml\n{NOTICE}```\nEnjoy.") == NOTICE
    assert read_answer(f"Of course.\n{NOTICE}") == NOTICE
    assert read_refusal("cannot: there is no kind that\nbooks a flight") == "there is no kind that books a flight"
    assert read_refusal(NOTICE) is None
