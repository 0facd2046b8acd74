"""Mistakes of a workflow in the reader's language: the engine says a code and values, here are the sentences."""

from collections.abc import Sequence

from pabal.engine.workflows.mistakes import SENTENCES, Mistake
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language.pairs import Pair

KO = {
    "yaml_invalid": "YAML로 읽을 수 없습니다: {reason}.",
    "yaml_too_large": "워크플로우는 {most}자까지 쓸 수 있습니다.",
    "yaml_too_deep": "워크플로우는 {most}단계, 값 {nodes}개까지 쓸 수 있습니다.",
    "yaml_alias": "앵커와 별칭은 쓸 수 없습니다. 값을 그대로 적으세요.",
    "yaml_duplicate_key": "{key} 항목이 두 번 있습니다.",
    "yaml_tag": "태그는 쓸 수 없습니다: {tag}.",
    "not_an_object": "{field}에는 이름과 값의 묶음을 적어야 합니다.",
    "not_a_list": "{field}에는 목록을 적어야 합니다.",
    "unknown_field": "{field} 항목은 여기에 쓸 수 없습니다.",
    "missing_field": "{field} 항목이 없습니다.",
    "bad_type": "{field} 값의 형식이 다릅니다. 필요한 형식: {wanted}.",
    "bad_name": "{name}: 이름은 영문 소문자로 시작하고 소문자, 숫자, _만 60자까지 쓸 수 있습니다.",
    "duplicate_name": "{name} 단계가 두 개입니다.",
    "no_steps": "단계가 하나 이상 있어야 합니다.",
    "too_many": "{what} 항목은 {most}개까지 쓸 수 있습니다.",
    "bad_duration": "{field}에는 90s, 10m, 2h, 3d 같은 기간을 적어야 합니다. 최대 {most}.",
    "bad_choice": "{field} 값은 다음 중 하나여야 합니다: {choices}.",
    "kind_or_wait": "단계에는 kind와 wait 중 하나만 적어야 합니다.",
    "bad_wait": "wait에는 for, until, event, workflow 중 하나만 적습니다. key는 event에만 쓸 수 있습니다.",
    "secret_default": "{name}은(는) 비밀 값이라 기본값을 둘 수 없습니다. 워크플로우를 보는 사람이 모두 보게 됩니다.",
    "bad_event": "{name}: 이벤트 이름이 아닙니다. orders.paid처럼 적으세요.",
    "only_event": "{path}: 실행이 시작되기 전에는 알 수 없습니다. start에서는 event.…만 쓸 수 있습니다.",
    "bad_condition": "조건이 잘못되었습니다: {reason}.",
    "bad_kind": "{kind}: 단계 종류는 area.name 또는 area.name@version으로 적습니다.",
    "unknown_kind": "{kind} 단계 종류가 없습니다.",
    "unknown_version": "{kind}에는 버전 {version}이 없습니다. 있는 버전: {known}.",
    "unknown_need": "{name} 단계가 없습니다.",
    "cycle": "서로를 기다리는 단계가 있습니다: {names}.",
    "bad_reference": "{path} 경로가 맞지 않습니다. input.…, steps.<이름>.…, for_each 단계의 item을 쓸 수 있습니다.",
    "not_needed_before": "{name} 단계가 먼저 끝난다는 보장이 없습니다. needs에 추가하세요.",
    "unknown_input": "입력 {name}이(가) 없습니다.",
    "unknown_output": "{step} 단계의 결과에 {name} 값이 없습니다.",
    "item_outside": "item은 for_each가 있는 단계에서만 쓸 수 있습니다.",
    "missing_value": "{kind} 단계에 {name} 값이 필요합니다.",
    "unknown_value": "{kind} 단계는 {name} 값을 받지 않습니다.",
    "bad_value": "{name} 값의 형식이 다릅니다. 필요한 형식: {wanted}.",
    "destination_from_outside": "{name} 값은 보낼 곳입니다. 외부에서 온 {source} 값은 쓸 수 없습니다.",
    "nothing_to_compensate": "되돌리는 단계가 없어 on_error: compensate는 아무 일도 하지 않습니다.",
    "wait_has_no_compensation": "기다리는 단계에는 되돌릴 것이 없습니다.",
    "unknown_workflow": "{name} 워크플로우가 없습니다.",
}


def find_faults(mistakes: Sequence[Mistake], field: str = "yaml") -> list[Finding]:
    return [Finding(one.code, field, _say(one)) for one in mistakes]


def refuse(mistakes: Sequence[Mistake]) -> FieldsRefused:
    return FieldsRefused(find_faults(mistakes))


def _say(mistake: Mistake) -> Pair:
    english, korean = (text[mistake.code].format(**mistake.values) for text in (SENTENCES, KO))
    if mistake.line is None:
        return english, korean
    return f"Line {mistake.line}: {english}", f"{mistake.line}줄: {korean}"
