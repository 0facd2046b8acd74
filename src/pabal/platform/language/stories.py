"""What the engine's stories say: one sentence for each code of `engine.why`, the same in console, CLI and API."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from pabal.engine.why import Line
from pabal.platform.language.pairs import Lang, Pair, put

# By the reason alone, or with the state or the decision in front where the same word means something else there.
REASONS: Mapping[str, Pair] = {
    "on_time": ("On time.", "제때 등록했습니다."),
    "enqueued late": (
        "Late, but soon enough to be made up for.",
        "늦었지만 따라잡을 수 있는 시간 안이라 등록했습니다.",
    ),
    "skipped late": (
        "Late, and this schedule skips what is late.",
        "늦었고, 이 스케줄은 늦은 시각을 건너뜁니다.",
    ),
    "coalesced late": ("Late; a newer moment runs in its place.", "늦어서 더 새로운 시각에 합쳤습니다."),
    "triggered": ("Triggered by hand.", "사람이 지금 실행했습니다."),
    "skipped asked": ("Somebody asked to skip it.", "건너뛰기로 정했습니다."),
    "cancelled asked": ("Somebody asked to cancel it.", "취소 요청을 받았습니다."),
    "misfire_window": ("Too late to be made up for.", "너무 늦어서 따라잡지 않았습니다."),
    "misfire_max": (
        "More moments were missed than may be made up for.",
        "놓친 시각이 따라잡을 수 있는 횟수보다 많았습니다.",
    ),
    "skipped expired": (
        "Its job would have expired before anybody saw it.",
        "볼 때는 이미 작업의 유효 시간이 지나 있었습니다.",
    ),
    "missed expired": ("Nobody could take its job in time.", "제때 작업을 맡을 서버가 없었습니다."),
    "coalesced overlap": (
        "A later moment that came with it runs in its place.",
        "함께 온 다음 시각이 대신 실행됩니다.",
    ),
    "replaced": ("The next run of its schedule took its place.", "스케줄의 다음 실행이 대신했습니다."),
    "asked while it ran": ("It was cancelled while it ran.", "실행하는 중에 취소했습니다."),
    "overlap": ("The run before it had not ended.", "앞 실행이 끝나지 않아 건너뛰었습니다."),
    "paused": ("The schedule was paused.", "스케줄이 멈춰 있었습니다."),
    "deleted": ("The schedule was deleted.", "스케줄이 지워졌습니다."),
    "its server died while it ran": ("Its server died while it ran.", "처리하던 서버가 죽었습니다."),
    "it stalled": ("It did not end in time.", "제때 끝나지 않았습니다."),
    "its worker died": ("Its server died while it ran, too often.", "실행하던 서버가 너무 자주 죽었습니다."),
    "did not stop": (
        "It did not stop when it was told to, and was taken away.",
        "멈추라고 했지만 멈추지 않아 거두었습니다.",
    ),
    "cancelled and did not stop": (
        "It was cancelled, did not stop, and was taken away.",
        "취소했지만 멈추지 않아 거두었습니다.",
    ),
}
_PATTERNS: tuple[tuple[re.Pattern[str], Pair], ...] = (
    (re.compile(r"cancelled by (?P<who>\S+)"), ("Cancelled by {who}.", "{who}이(가) 취소했습니다.")),
    (
        re.compile(r"snoozed (?P<count>\d+) times: (?P<what>.*)", re.DOTALL),
        ("Put off {count} times, which is too often: {what}", "{count}번 미뤄 한도에 닿았습니다: {what}"),
    ),
    (
        re.compile(r"its connection was lost: (?P<what>.*)", re.DOTALL),
        ("Its connection to the database was lost.", "데이터베이스 연결이 끊겼습니다."),
    ),
    (
        re.compile(r"deadline of (?P<seconds>\S+) s passed"),
        ("It took longer than the {seconds} s it may.", "정해진 {seconds}초 안에 끝나지 않았습니다."),
    ),
    (
        re.compile(r"no report for (?P<seconds>\S+) s"),
        ("It reported nothing for {seconds} s.", "{seconds}초 동안 소식이 없었습니다."),
    ),
    (
        re.compile(r"its process ended with (?P<how>\S+)"),
        ("Its process ended without an answer ({how}).", "프로세스가 답 없이 끝났습니다({how})."),
    ),
)


def explain_reason(reason: str, lang: Lang, *circumstances: str) -> str:
    """`circumstances` are the state and the decision. A reason nobody knows here is shown as it is."""
    for key in (*(f"{one} {reason}" for one in circumstances), reason):
        if key in REASONS:
            return put(lang, REASONS[key])
    for pattern, pair in _PATTERNS:
        found = pattern.fullmatch(reason)
        if found is not None:
            return put(lang, pair, **found.groupdict())
    return reason


# long: one entry per sentence


SENTENCES: Mapping[str, Pair] = {
    "enqueued": ("Enqueued.", "등록되었습니다."),
    "enqueued_because": ("Enqueued because of {cause}.", "{cause} 때문에 등록되었습니다."),
    "for_occurrence": ("For {occurrence}.", "{occurrence}의 작업입니다."),
    "attempt_done": ("Done.", "완료했습니다."),
    "attempt_partial": ("Done in part: {reason}", "일부만 완료했습니다: {reason}"),
    "attempt_failed": ("Failed for good: {reason}", "최종 실패했습니다: {reason}"),
    "attempt_cancelled": ("Cancelled while it ran: {reason}", "실행 중에 취소되었습니다: {reason}"),
    "attempt_quarantined": (
        "Quarantined: its worker died too often. {reason}",
        "격리되었습니다: 워커가 너무 자주 죽었습니다. {reason}",
    ),
    "attempt_retry": ("An attempt failed: {reason}", "시도가 실패했습니다: {reason}"),
    "attempt_snoozed": ("Put off by its handler: {reason}", "핸들러가 미뤘습니다: {reason}"),
    "attempt_limited": ("Put off by the limit {reason}.", "제한({reason})으로 미뤄졌습니다."),
    "attempt_returned": ("Handed back unharmed by worker {worker}.", "워커 {worker}가 그대로 돌려놓았습니다."),
    "attempt_lost": ("Worker {worker} died; handed back.", "워커 {worker}가 죽어 되돌려졌습니다."),
    "ended_cancelled": ("Cancelled before it ran: {reason}", "실행 전에 취소되었습니다: {reason}"),
    "ended_expired": ("Expired: nobody could take it in time.", "만료되었습니다: 제때 맡을 서버가 없었습니다."),
    "running": (
        "Running on {host} (worker {worker}). Progress: {progress}",
        "{host}(워커 {worker})에서 실행 중입니다. 진행: {progress}",
    ),
    "running_silent": (
        "Was running on worker {worker}, which is silent; it is handed back within seconds.",
        "워커 {worker}에서 실행 중이었으나 응답이 없습니다. 몇 초 안에 되돌려집니다.",
    ),
    "stopping_deadline": ("It took longer than it may, and is stopping.", "정해진 시간이 지나 멈추는 중입니다."),
    "stopping_stall": ("It reported nothing for too long, and is stopping.", "너무 오래 소식이 없어 멈추는 중입니다."),
    "stopping_lease_lost": ("It is no longer this server's, and is stopping.", "다른 서버로 넘어가 멈추는 중입니다."),
    "stopping_shutdown": (
        "Its server is shutting down; it may finish, or goes on elsewhere.",
        "서버가 끝나는 중입니다. 마치거나 다른 서버에서 이어집니다.",
    ),
    "cancel_asked": ("Somebody asked to cancel it; it is stopping.", "취소 요청을 받아 멈추는 중입니다."),
    "delayed_asked": ("Waits until then, as asked.", "요청한 대로 그때까지 기다립니다."),
    "delayed_retry": (
        "Tries again then (failed {failures} of {max_failures} times).",
        "그때 다시 시도합니다({max_failures}번 중 {failures}번 실패).",
    ),
    "delayed_snooze": ("Comes back then, as its handler said.", "핸들러가 정한 그때 다시 옵니다."),
    "delayed_limit": ("Waits until then for the limit {reason}.", "제한({reason}) 때문에 그때까지 기다립니다."),
    "delayed_other": ("Waits until then: {reason}.", "그때까지 기다립니다: {reason}."),
    "waits_for_lane": (
        "Waits for its turn in lane {lane}, held by {holder} ({holder_state}).",
        "레인 {lane}에서 차례를 기다립니다. 지금은 {holder}({holder_state})의 차례입니다.",
    ),
    "label_missing": (
        "No running server has what it needs: {labels}.",
        "필요한 것({labels})을 가진 실행 중인 서버가 없습니다.",
    ),
    "waits_for_shared_lane": (
        "Waits for room in lane {lane}: {held} of at most {width} go at once, among them {holders}.",
        "줄 {lane}에 자리가 나기를 기다립니다. 한 번에 최대 {width}개 가운데 {held}개가 차례입니다: {holders}.",
    ),
    "lane_shut": (
        "Lane {lane} lets nobody go: its width is 0.",
        "줄 {lane}의 동시 실행 수가 0이라 아무 작업도 시작하지 않습니다.",
    ),
    "ahead_in_lane": ("{ahead} more stand before it in the lane.", "레인에서 앞에 {ahead}개가 더 있습니다."),
    "lane_moving": (
        "Lane {lane} is being handed on; {ahead} stand before it.",
        "레인 {lane}이 넘어가는 중입니다. 앞에 {ahead}개.",
    ),
    "waits_for_slot": (
        "Ready in queue {queue}; {ahead} are before it.",
        "큐 {queue}에서 준비됨. 앞에 {ahead}개 있습니다.",
    ),
    "route_absent": (
        "Ready, but no server holds the connection {route}.",
        "준비되었지만 {route} 연결을 가진 서버가 없습니다.",
    ),
    "route_because": ("{said}", "{said}"),
    "kind_unknown": (
        "None of the {servers} running server(s) knows the kind {kind}.",
        "실행 중인 서버 {servers}대 중 {kind} 종류를 아는 서버가 없습니다.",
    ),
    "all_draining": (
        "All {servers} servers that could run it are draining.",
        "맡을 수 있는 서버 {servers}대가 모두 비우는 중입니다.",
    ),
    "no_server": ("No server that runs jobs is alive.", "작업을 실행할 서버가 살아 있지 않습니다."),
    "no_scheduler": ("No server with the role scheduler is alive.", "scheduler 역할의 서버가 살아 있지 않습니다."),
    "will_expire": ("Expires then if nobody has taken it.", "그때까지 아무도 맡지 않으면 만료됩니다."),
    "moving": ("Is just being moved.", "지금 옮겨지는 중입니다."),
    "schedule_created": ("Created; it enqueues {kind}.", "만들어졌습니다. {kind} 작업을 등록합니다."),
    "schedule_paused": ("Paused by {actor}.", "{actor}이(가) 일시중지했습니다."),
    "schedule_broken": ("Paused by the engine: {problem}", "엔진이 일시중지했습니다: {problem}"),
    "schedule_over": ("No moment is ahead of it any more.", "앞으로 예정된 시각이 없습니다."),
    "schedule_next": ("Fires next.", "다음 실행입니다."),
    "schedule_due": ("Is due.", "실행할 때가 되었습니다."),
    "occurrence_enqueued": ("{occurrence}: enqueued {job}. {reason}", "{occurrence}: {job} 등록. {reason}"),
    "occurrence_skipped": ("{occurrence}: skipped. {reason}", "{occurrence}: 건너뜀. {reason}"),
    "occurrence_skipped_run": (
        "{count} moments from {fire_at} to {through}: skipped. {reason}",
        "{fire_at}부터 {through}까지 {count}번: 건너뜀. {reason}",
    ),
    "occurrence_coalesced": (
        "{occurrence}: runs together with {into_at}. {reason}",
        "{occurrence}: {into_at}에 합쳐짐. {reason}",
    ),
    "occurrence_coalesced_run": (
        "{count} moments from {fire_at} to {through}: run together with {into_at}. {reason}",
        "{fire_at}부터 {through}까지 {count}번: {into_at}에 합쳐짐. {reason}",
    ),
    "occurrence_ended_done": ("{occurrence}: done.", "{occurrence}: 완료."),
    "occurrence_ended_partial": ("{occurrence}: done in part. {reason}", "{occurrence}: 일부 완료. {reason}"),
    "occurrence_ended_failed": ("{occurrence}: failed. {reason}", "{occurrence}: 실패. {reason}"),
    "occurrence_ended_missed": ("{occurrence}: missed. {reason}", "{occurrence}: 놓침. {reason}"),
    "occurrence_ended_cancelled": ("{occurrence}: cancelled. {reason}", "{occurrence}: 취소. {reason}"),
}


# By the last words of a limit's key: what apps call their limits.
LIMITS: dict[str, Pair] = {}


def tell(line: Line, lang: Lang, show: Callable[[datetime], str]) -> str:
    """A code without a sentence shows itself with its values: better seen than lost."""
    values = {name: _shown(value, show) for name, value in line.values.items()}
    if line.code.startswith("occurrence_") and line.values.get("reason"):
        state = line.code.removeprefix("occurrence_").removeprefix("ended_").removesuffix("_run")
        values["reason"] = explain_reason(line.values["reason"], lang, state, state)
    if line.code in ("attempt_limited", "delayed_limit"):
        values["reason"] = _name_limit(values["reason"], lang)
    if line.code == "route_because":
        values["said"] = put(lang, line.values["said"])
    sentence = SENTENCES.get(line.code)
    return f"{line.code} {values}" if sentence is None else put(lang, sentence, **values)


def _name_limit(reason: str, lang: Lang) -> str:
    """`limit:room:7 dispatch gap` as the app says it, otherwise its key."""
    key = reason.removeprefix("limit:")
    known = LIMITS.get(key.partition(" ")[2])
    return key if known is None else put(lang, known)


def _shown(value: Any, show: Callable[[datetime], str]) -> str:
    if isinstance(value, datetime):
        return show(value)
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, dict):
        return ", ".join(f"{one} %" if name == "percent" else f"{name} {one}" for name, one in value.items())
    return "–" if value is None else str(value)
