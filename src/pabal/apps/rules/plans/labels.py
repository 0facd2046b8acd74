"""What people read for each state and verb of plans."""

from pabal.apps.rules.plans.model import Door
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

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
