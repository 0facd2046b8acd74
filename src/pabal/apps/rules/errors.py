"""What can go wrong with rules, in words for those who must act on it."""

from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.platform.findings import FieldsRefused


class NoSuchRule(NotFound, code="automation_rule_not_found"):
    """There is no such rule, or it is not yours to see."""


class NoSuchRun(NotFound, code="rule_execution_not_found"):
    """There is no such run, or it is not yours to see."""


class RuleRefused(FieldsRefused, code="rule_refused"):
    """The rule cannot be saved as it is. What is wrong is said beside each field."""


class BadCallback(Invalid, code="bad_callback"):
    """A callback is {"type", "config", "when"}: type telegram, log, webhook, email, event, approval or workflow; when
    always, changed or condition."""


class BadScriptPath(Invalid, code="bad_script_path"):
    """A script is named by its path inside the repository, with / between folders, and ends with .py."""


class UnknownSource(Invalid, code="unknown_source"):
    """There is no data source of this name here."""


class NothingToDo(Invalid, code="nothing_to_do"):
    """A rule runs a script, or reads a data source, or both. Name one of them."""


class BadJson(Invalid, code="bad_json"):
    """This is no JSON object. Write it as {"ticker": "AAPL"}, in single quotes in a shell."""


class RunEnded(Conflict, code="rule_execution_ended"):
    """This run has ended; there is nothing to cancel."""


KO = {
    "automation_rule_not_found": "이런 룰이 없거나 볼 수 없는 룰입니다.",
    "rule_execution_not_found": "이런 실행이 없거나 볼 수 없는 실행입니다.",
    "rule_refused": "이대로는 저장할 수 없습니다. 항목마다 무엇이 문제인지 적어 두었습니다.",
    "bad_callback": "콜백은 type, config, when으로 적습니다. type은 telegram, log, webhook, email, event, "
    "approval, workflow, when은 always, changed, condition 중 하나입니다.",
    "bad_script_path": "스크립트는 저장소 안의 경로로 적습니다. 폴더는 /로 나누고 .py로 끝나야 합니다.",
    "unknown_source": "여기에 없는 데이터 소스입니다.",
    "nothing_to_do": "스크립트나 데이터 소스 중 하나는 정해야 합니다.",
    "bad_json": 'JSON 객체가 아닙니다. {"ticker": "AAPL"}처럼 적고, 셸에서는 작은따옴표로 묶으세요.',
    "rule_execution_ended": "이미 끝난 실행이라 취소할 것이 없습니다.",
}
