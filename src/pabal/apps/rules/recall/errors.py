"""What can go wrong with remembered cases."""

from pabal.base.errors import NotFound


class CaseNotFound(NotFound, code="recall_case_not_found"):
    """There is no such case, or it is not yours to see."""


KO = {"recall_case_not_found": "이런 사례가 없거나 볼 수 없습니다."}
