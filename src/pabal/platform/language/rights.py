"""What rights are called wherever a person reads one: `rules:write` is an area, and what one may do there."""

from collections.abc import Iterable, Mapping

from pabal.platform.language.pairs import Pair

# the platform's own; apps bring theirs
AREAS: dict[str, Pair] = {
    "jobs": ("Jobs", "작업"),
    "schedules": ("Schedules", "스케줄"),
    "machines": ("Machines", "상태 기계"),
    "facts": ("Facts", "사실"),
    "events": ("Events", "이벤트"),
    "servers": ("Servers", "서버"),
    "alerts": ("Alerts", "경보"),
    "approvals": ("Approvals", "승인"),
    "workflows": ("Workflows", "워크플로우"),
    "notifications": ("Notifications", "알림"),
    "files": ("Files", "파일"),
    "audit": ("Audit", "감사"),
    "people": ("People and tokens", "사용자·토큰"),
    "settings": ("Settings", "설정"),
    "backup": ("Backup", "백업"),
    "metrics": ("Metrics (/metrics)", "지표(/metrics)"),
}
RIGHTS: dict[str, Pair] = {"read": ("read", "보기"), "write": ("write", "쓰기"), "manage": ("manage", "관리")}
_OF_APPS: dict[str, Pair] = {}


def add(areas: Mapping[str, Pair]) -> None:
    """What an app calls its areas."""
    _OF_APPS.update(areas)


def say_right(right: str) -> Pair:
    """`rules:write` as people read it; what nobody named shows its code."""
    area, _, word = right.partition(":")
    areas = AREAS.get(area) or _OF_APPS.get(area) or (area, area)
    words = RIGHTS.get(word, (word, word))
    return f"{areas[0]}: {words[0]}", f"{areas[1]}: {words[1]}"


def say_rights(rights: Iterable[str]) -> Pair:
    found = [say_right(one) for one in rights]
    return ", ".join(one[0] for one in found), ", ".join(one[1] for one in found)
