"""What a proposed workflow must be: what the loader takes, of the kinds its asker may use, and ready to start."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pabal.apps.rules.plans.allowed import list_allowed, list_used, reckon
from pabal.apps.rules.plans.model import MOST_STEPS, PlanCost
from pabal.engine.workflows import checking, yaml_form
from pabal.engine.workflows.mistakes import WorkflowRefused
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.platform.actor import Actor
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair
from pabal.platform.workflows import AREA as WORKFLOWS
from pabal.platform.workflows.wording import find_faults

FIELD = "yaml"
_LONGEST_NAME = 40
_FENCED = re.compile(r"^```[a-zA-Z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CANNOT = re.compile(r"\A\s*cannot:\s*(.+)", re.IGNORECASE | re.DOTALL)
_BEGIN = re.compile(r"^name:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """What can be proposed: `yaml` is exactly what would be saved. `rights` are what it takes to run it."""

    workflow: Workflow
    yaml: str
    rights: tuple[str, ...]
    cost: PlanCost


def check_plan(text: str, kinds: StepKinds, asker: Actor, plan_id: int) -> CheckedPlan | list[Finding]:
    """Every mistake, or the plan. A kind that the asker may not use is not there for them."""
    allowed = list_allowed(kinds, asker)
    try:
        workflow = checking.read_yaml(text, allowed)
    except WorkflowRefused as error:
        return find_faults(error.mistakes, FIELD)
    wrong = [Finding(code, FIELD, said) for code, said in _list_wrong(workflow)]
    if wrong:
        return wrong
    own = replace(workflow, name=name_workflow(workflow.name, plan_id))
    rights = {f"{WORKFLOWS}:write", *(kind.right for kind in list_used(own, allowed))}
    return CheckedPlan(own, yaml_form.show_workflow(own), tuple(sorted(rights)), reckon(own, allowed))


def name_workflow(name: str, plan_id: int) -> str:
    """With the plan's number: a plan is never a new version of a workflow that somebody else wrote."""
    ending = f"_{plan_id}"
    return name if name.endswith(ending) else f"{name[:_LONGEST_NAME]}{ending}"


def read_answer(text: str) -> str:
    """The YAML of a model's answer: fences and talk around it are taken off."""
    plain = text.replace("\r\n", "\n")
    fenced = _FENCED.search(plain)
    inner = fenced[1] if fenced else plain
    begin = _BEGIN.search(inner)
    return (inner[begin.start() :] if begin else inner).strip() + "\n"


def read_refusal(text: str) -> str | None:
    """Why the model says that it cannot be done, if it says so."""
    found = _CANNOT.match(text)
    return None if found is None else " ".join(found[1].split())[:300]


def tell_model(findings: Sequence[Finding]) -> list[str]:
    """The checker's own sentences, in English as the prompt is."""
    return [one.text[0] for one in findings]


def _list_wrong(workflow: Workflow) -> Iterator[tuple[str, Pair]]:
    """Besides what every workflow must be."""
    if len(workflow.steps) > MOST_STEPS:
        yield (
            "plan_too_long",
            (f"A plan has at most {MOST_STEPS} steps.", f"계획은 {MOST_STEPS}단계까지 쓸 수 있습니다."),
        )
    for step in workflow.steps:
        if step.wait is not None and step.wait.workflow:
            yield (
                "plan_starts_workflow",
                (
                    f"{step.name} starts another workflow. A plan shows all that it does: write its steps out.",
                    f"{step.name} 단계가 다른 워크플로우를 시작합니다. 계획에는 할 일을 모두 적어야 합니다.",
                ),
            )
    for name, one in workflow.input.items():
        if one.required and one.default is None:
            yield (
                "plan_needs_input",
                (
                    f"The input {name} needs a default: a plan starts when it is approved.",
                    f"입력 {name}에 기본값이 필요합니다. 계획은 승인하면 바로 시작합니다.",
                ),
            )
