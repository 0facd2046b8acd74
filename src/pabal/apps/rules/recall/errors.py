"""What can go wrong with remembered cases."""

from pabal.base.errors import Invalid, NotFound


class CaseNotFound(NotFound, code="recall_case_not_found"):
    """There is no such case, or it is not yours to see."""


class BadCase(Invalid, code="bad_recall_case"):
    """A case has a request of 1 to 2,000 characters with words in it, and an answer of 1 to 20,000."""


KO = {
    "recall_case_not_found": "이런 사례가 없거나 볼 수 없습니다.",
    "bad_recall_case": "사례에는 낱말이 있는 1~2,000자의 요청과 1~20,000자의 답이 필요합니다.",
}
