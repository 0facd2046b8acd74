"""The planner without a language model: a few shapes of requests, planned the same way every time.

For the demo, for tests, and where nothing may leave the house. What it does not understand it refuses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pabal.apps.rules.plans.prompting import read_request
from pabal.apps.rules.skills.llm import FREE, Answer, AskLimits, Price, check_prompt, estimate
from pabal.engine.workflows import yaml_form

_KO = re.compile(r"[가-힣]")
_NEWS = re.compile(r"뉴스|기사|소식|news|articles?", re.IGNORECASE)
_REPORT = re.compile(r"보고서|리포트|문서|파일|report|document", re.IGNORECASE)
_TELL = re.compile(r"텔레그램|알려|알림|보내|telegram|tell|notify|send", re.IGNORECASE)
_ASK = re.compile(r"승인|검토|확인받|물어|approval|approve|review|ask", re.IGNORECASE)
_PERIODS = (
    (re.compile(r"지난\s*달|한\s*달|last month", re.IGNORECASE), 30),
    (re.compile(r"지난\s*주|이번\s*주|일주일|주간|last week|this week|weekly", re.IGNORECASE), 7),
    (re.compile(r"어제|오늘|하루|yesterday|today|daily", re.IGNORECASE), 1),
)
_DAYS = re.compile(r"(\d{1,2})\s*(?:일|days?)", re.IGNORECASE)
_LATER = re.compile(r"(\d{1,3})\s*(분|시간|minutes?|hours?)\s*(?:뒤|후|later)?", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'“‘「]([^\"'”’」]{1,200})[\"'”’」]")
# what surrounds a topic in a request for news
_AROUND = re.compile(
    r"지난|이번|어제|오늘|최근|주간|하루|일주일|한\s*달|관련|에\s*대한|about|on|last|this|week(?:ly)?|month|yesterday|today"
    r"|the|latest|recent|summari[sz]e|요약|정리|해서|주의|주|달|\d+\s*일|\d+\s*days?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w가-힣+#.]+")
REFUSAL = (
    "without a language model only news, reports, notices and waits are understood; "
    "choose a model in the settings of rules"
)


@dataclass(frozen=True, slots=True)
class OfflinePlanner:
    price: Price = FREE

    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        check_prompt(prompt, limits)
        data = plan_offline(read_request(prompt))
        return estimate(prompt, f"cannot: {REFUSAL}" if data is None else yaml_form.show_data(data), self.price)


def plan_offline(request: str) -> dict[str, Any] | None:
    """A workflow as data; None for what it does not understand."""
    lang = "ko" if _KO.search(request) else "en"
    if _NEWS.search(request):
        return _plan_news(request, lang)
    if _TELL.search(request) or _ASK.search(request):
        return _plan_notice(request, lang)
    return None


def _plan_news(request: str, lang: str) -> dict[str, Any]:
    topic, days = find_topic(request), find_days(request)
    title = f"{topic} 뉴스 요약" if lang == "ko" else f"{topic} news"
    steps: list[dict[str, Any]] = [
        {
            "name": "search",
            "title": _say(lang, "Search articles", "기사 찾기"),
            "kind": "rules.search",
            "input": {"topic": topic, "days": days},
            "retries": 2,
        },
        {
            "name": "summarise",
            "title": _say(lang, "Summarise", "요약"),
            "kind": "rules.summarise",
            "input": {"topic": topic, "articles": {"from": "steps.search.articles"}, "language": lang},
            "retries": 1,
        },
    ]
    if _REPORT.search(request):
        said = {"text": {"from": "steps.summarise.text"}, "articles": {"from": "steps.search.articles"}}
        steps.append(
            {
                "name": "report",
                "title": _say(lang, "Write the report", "보고서 만들기"),
                "kind": "rules.report",
                "input": {"title": title, **said},
            }
        )
    if _ASK.search(request):
        steps.append(_approval(lang, _say(lang, f"Send “{title}”?", f"“{title}”을 보낼까요?")))
    steps.append(_tell(lang, title, has_report=_REPORT.search(request) is not None))
    return {"name": "news", "title": title, "steps": steps}


def _plan_notice(request: str, lang: str) -> dict[str, Any]:
    quoted = _QUOTED.search(request)
    said = (quoted[1] if quoted else " ".join(request.split()))[:200]
    steps: list[dict[str, Any]] = list(_waits(request, lang))
    if _ASK.search(request):
        steps.append(_approval(lang, _say(lang, f"Say “{said[:100]}”?", f"“{said[:100]}”라고 알릴까요?")))
    steps.append(
        {
            "name": "tell",
            "title": _say(lang, "Tell people", "알리기"),
            "kind": "platform.notify",
            "input": {"title": said},
        }
    )
    return {"name": "notice", "title": said[:60], "steps": steps}


def find_topic(request: str) -> str:
    """What stands before the word for news, without what surrounds it; in English also what stands behind."""
    quoted = _QUOTED.search(request)
    if quoted:
        return quoted[1].strip()
    found = _NEWS.search(request)
    parts = (request[: found.start()], request[found.end() :]) if found else (request, "")
    words = [" ".join(_WORD.findall(_AROUND.sub(" ", part))) for part in parts]
    behind = re.split(r"\b(?:and|into|to|as)\b|[,.]", words[1])[0].strip() if not _KO.search(request) else ""
    return (words[0] or behind or "뉴스")[:100].strip()


def find_days(request: str) -> int:
    named = _DAYS.search(request)
    if named:
        return max(1, min(31, int(named[1])))
    return next((days for pattern, days in _PERIODS if pattern.search(request)), 7)


def _waits(request: str, lang: str) -> Iterator[dict[str, Any]]:
    found = _LATER.search(request)
    if found:
        unit = "h" if found[2] == "시간" or found[2].startswith("h") else "m"
        span = f"{max(1, int(found[1]))}{unit}"
        yield {"name": "wait", "title": _say(lang, "Wait", "기다리기"), "wait": {"for": span}}


def _approval(lang: str, question: str) -> dict[str, Any]:
    return {
        "name": "ask",
        "title": _say(lang, "Ask somebody", "사람 검토"),
        "kind": "platform.approval",
        "input": {"title": question[:200], "within": "24h"},
    }


def _tell(lang: str, title: str, *, has_report: bool) -> dict[str, Any]:
    text = "{steps.summarise.text}" + ("\n{steps.report.link}" if has_report else "")
    return {
        "name": "tell",
        "title": _say(lang, "Tell in Telegram", "텔레그램으로 알리기"),
        "kind": "platform.notify",
        "input": {"title": title, "text": {"text": text}},
    }


def _say(lang: str, english: str, korean: str) -> str:
    return korean if lang == "ko" else english
