"""What people read for each state and verb of plans."""

import json

from pabal.apps.rules.plans.model import Door
from pabal.apps.rules.plans.offline import REFUSAL
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words
from pabal.platform.workflows.reasons import tell_reason

STATUS: Words = {
    "plan": {
        "drafting": Status("work", ("being drafted", "만드는 중")),
        "proposed": Status("wait", ("waits for approval", "승인 대기")),
        "approved": Status("good", ("approved", "승인됨")),
        "rejected": Status("end", ("rejected", "반려됨")),
        "failed": Status("fail", ("failed", "실패")),
        "withdrawn": Status("end", ("withdrawn", "거두어들임")),
        "expired": Status("attn", ("expired", "만료됨")),
    },
    "plan_event": {"fail": Status("wait", ("drafting is given up", "작성 중단"))},
}
NAMES: dict[str, Pair] = {"plan": ("plans", "계획")}
ACTIONS: dict[str, Pair] = {
    "plan_request": ("asked for a plan", "계획 요청"),
    "plan_edit": ("edited a plan", "계획 고치기"),
    "plan_withdraw": ("withdrew a plan", "계획 거두어들이기"),
    "plan_redo": ("had a plan drafted again", "계획 다시 만들기"),
    "plan_approve": ("approved a plan", "계획 승인"),
    "plan_reject": ("rejected a plan", "계획 반려"),
}
AUTHORS: dict[str, Pair] = {
    "model:offline": ("the built-in planner", "내장 플래너"),
    "user": ("a person", "사람"),
    "token": ("an agent outside", "외부 에이전트"),
    "cli": ("the command line", "명령줄"),
}
REFUSED = "언어 모델 없이는 뉴스·보고서·알림·기다림만 알아듣습니다. 설정의 룰에서 언어 모델을 고르세요."
DOORS: dict[str, Pair] = {
    Door.CONSOLE: ("Console", "콘솔"),
    Door.CLI: ("Command line", "명령줄"),
    Door.REST: ("Agent", "외부 에이전트"),
    Door.TELEGRAM: ("Telegram", "텔레그램"),
}
EFFECTS: dict[str, Pair] = {
    "network": ("Network", "네트워크"),
    "files": ("Writes files", "파일 쓰기"),
    "money": ("Costs money", "비용"),
    "messages": ("Messages to people", "사람에게 알림"),
    "reads_outside": ("Reads the outside", "외부 글 읽기"),
}
ICONS: dict[str, str] = {
    "network": "world",
    "files": "file-pencil",
    "money": "coin",
    "messages": "send",
    "reads_outside": "eye",
}


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
