"""What is said of a plan in a sentence: who wrote it, why none came of a request, what its steps are given."""

import json

from pabal.apps.rules.plans.offline import REFUSAL
from pabal.platform.language.pairs import Pair
from pabal.platform.workflows.reasons import tell_reason

AUTHORS: dict[str, Pair] = {
    "model:offline": ("the built-in planner", "내장 플래너"),
    "user": ("a person", "사람"),
    "token": ("an agent outside", "외부 에이전트"),
    "cli": ("the command line", "명령줄"),
}
REFUSED = "언어 모델 없이는 뉴스·보고서·알림·기다림만 알아듣습니다. 설정의 룰에서 언어 모델을 고르세요."


def say_model(model: str) -> Pair:
    """As a table names it."""
    return AUTHORS.get(f"model:{model}", (model, model))


def say_problem(problem: str) -> Pair:
    """Why no plan came of it. What a language model wrote stays as it is."""
    plain = problem.removeprefix("cannot: ")
    if plain == REFUSAL:
        return f"{plain[0].upper()}{plain[1:]}.", REFUSED
    return tell_reason(plain)


def show_value(value: object) -> str:
    """What a step is given, as its reader judges it: written out, or from where it comes."""
    match value:
        case {"from": str(path), **rest} if not rest:
            return f"← {path.removeprefix('steps.')}"
        case {"text": str(text), **rest} if not rest:
            return text
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


def say_author(written_by: str) -> Pair:
    """Who wrote a workflow, without their name: a model, a person, or an agent."""
    kind, _, name = written_by.partition(":")
    found = AUTHORS.get(written_by) or AUTHORS.get(kind)
    return found or (f"the language model {name or kind}", f"언어 모델 {name or kind}")
