"""What can go wrong when a language model is asked for a proposal."""

from pabal.base.errors import Conflict, Invalid


class BadRequest(Invalid, code="bad_plan_request"):
    """Say in 1 to 2,000 characters what shall be done."""


class DraftRefused(Conflict, code="draft_refused"):
    """The language model did not write a script that can be used, also after its mistakes were told. Say it in other
    words, or choose a stronger model in the settings of rules."""


KO = {
    "bad_plan_request": "할 일을 1~2,000자로 적어 주세요.",
    "draft_refused": (
        "언어 모델이 틀린 곳을 알려 준 뒤에도 쓸 수 있는 스크립트를 만들지 못했습니다. 다르게 적어 보거나 설정에서 더 "
        "좋은 모델을 고르세요."
    ),
}
