"""What the audit says, in words: its actions and the fields they change. What is not in the tables shows its code."""

from pabal.platform.language.pairs import Pair

# By the first word of an action: what a filter offers.
SUBJECTS: dict[str, Pair] = {
    "users": ("People", "사용자"),
    "units": ("Organisation", "조직"),
    "tokens": ("Tokens", "토큰"),
    "links": ("Sign-in links", "로그인 링크"),
    "sessions": ("Sessions", "로그인"),
    "sign_in": ("Refused sign-ins", "막은 로그인"),
    "settings": ("Settings", "설정"),
    "jobs": ("Jobs", "작업"),
    "schedules": ("Schedules", "스케줄"),
    "machines": ("Machines", "상태 기계"),
    "facts": ("Facts", "사실"),
    "servers": ("Servers", "서버"),
    "alerts": ("Alerts", "경보"),
    "channels": ("Channels", "알림 채널"),
    "files": ("Files", "파일"),
    "backup": ("Backup", "백업"),
    "demo": ("Demo", "데모"),
}

ACTIONS: dict[str, Pair] = {
    "users.add": ("added a person", "사용자를 추가"),
    "users.edit": ("changed a person", "사용자를 바꿈"),
    "users.activate": ("activated a person", "사용자를 활성화"),
    "users.deactivate": ("deactivated a person", "사용자를 비활성화"),
    "users.preferences": ("changed their own preferences", "자기 환경을 바꿈"),
    "users.password": ("changed their own password", "자기 비밀번호를 바꿈"),
    "users.reset_password": ("reset a password", "비밀번호를 초기화"),
    "units.add": ("added a unit", "조직을 추가"),
    "units.rename": ("renamed a unit", "조직 이름을 바꿈"),
    "units.move": ("moved a unit", "조직을 옮김"),
    "units.remove": ("removed a unit", "조직을 지움"),
    "tokens.make": ("made a token", "토큰을 만듦"),
    "tokens.rotate": ("rotated a token", "토큰을 교체"),
    "tokens.revoke": ("revoked a token", "토큰을 회수"),
    "links.issue": ("issued a sign-in link", "로그인 링크를 발급"),
    "links.use": ("signed in with a link", "링크로 로그인"),
    "sessions.begin": ("signed in", "로그인"),
    "sessions.revoke": ("ended a session", "로그인 하나를 끝냄"),
    "sessions.revoke_others": ("ended all other sessions", "다른 로그인을 모두 끝냄"),
    "sign_in.slowed": ("failed to sign in too often", "로그인을 너무 자주 틀림"),
    "settings.change": ("changed a setting", "설정을 바꿈"),
    "settings.reset": ("reset a setting", "설정을 기본값으로 되돌림"),
    "jobs.cancel": ("cancelled a job", "작업을 취소"),
    "jobs.retry": ("enqueued a job again", "작업을 다시 등록"),
    "jobs.prioritise": ("gave a job another priority", "작업의 우선순위를 바꿈"),
    "jobs.resize_lane": ("made a shared lane wider or narrower", "줄의 동시 실행 수를 바꿈"),
    "schedules.pause": ("paused a schedule", "스케줄을 멈춤"),
    "schedules.resume": ("resumed a schedule", "스케줄을 다시 시작"),
    "schedules.trigger": ("triggered a schedule", "스케줄을 바로 실행"),
    "schedules.skip": ("skipped an occurrence", "한 회차를 건너뜀"),
    "schedules.keep": ("took a skip back", "건너뛰기를 되돌림"),
    "machines.send": ("sent an event", "이벤트를 보냄"),
    "facts.retry": ("handed a fact over again", "사실을 다시 전달"),
    "servers.drain": ("began to drain a server", "서버를 비우기 시작"),
    "servers.undrain": ("let a server take work again", "서버가 다시 일을 맡게 함"),
    "alerts.acknowledge": ("acknowledged an alert", "경보를 확인"),
    "alerts.silence": ("silenced an alert", "경보를 조용히 함"),
    "alerts.unsilence": ("ended an alert's silence", "경보를 다시 울리게 함"),
    "alerts.silence_rule": ("silenced a rule", "경보 규칙을 조용히 함"),
    "alerts.unsilence_rule": ("ended a rule's silence", "경보 규칙을 다시 울리게 함"),
    "channels.add": ("added a channel", "알림 채널을 추가"),
    "channels.edit": ("changed a channel", "알림 채널을 바꿈"),
    "channels.remove": ("removed a channel", "알림 채널을 지움"),
    "channels.test": ("tested a channel", "알림 채널을 시험"),
    "channels.follow": ("followed a group that moved", "옮겨 간 그룹을 따라감"),
    "files.add": ("uploaded a file", "파일을 올림"),
    "files.remove": ("removed a file", "파일을 지움"),
    "backup.take": ("asked for a backup", "백업을 시작"),
    "backup.check": ("asked for a restore check", "복원 검사를 시작"),
    "demo.load": ("loaded the demo", "데모를 넣음"),
    "demo.clear": ("cleared the demo", "데모를 지움"),
}

FIELDS: dict[str, Pair] = {
    "name": ("name", "이름"),
    "login": ("login", "아이디"),
    "role": ("role", "역할"),
    "level": ("level", "단계"),
    "unit_id": ("unit", "조직"),
    "parent_id": ("above it", "상위 조직"),
    "is_active": ("may sign in", "로그인 가능"),
    "language": ("language", "언어"),
    "zone": ("time zone", "시간대"),
    "theme": ("theme", "화면 밝기"),
    "scopes": ("scopes", "범위"),
    "start": ("begins with", "시작 글자"),
    "expires_at": ("expires", "만료"),
    "old_until": ("the old one until", "옛것을 쓸 때까지"),
    "replaces": ("replaces", "대신하는 것"),
    "sessions_ended": ("sessions ended", "끝낸 로그인"),
    "tokens_revoked": ("tokens revoked", "회수한 토큰"),
    "value": ("value", "값"),
    "state": ("state", "상태"),
    "kind": ("kind", "종류"),
    "paused": ("paused", "멈춤"),
    "next_at": ("next", "다음"),
    "occurrence": ("occurrence", "회차"),
    "until": ("until", "언제까지"),
    "silenced_until": ("silent until", "조용한 때까지"),
    "note": ("note", "메모"),
    "file": ("file", "파일"),
    "units": ("units", "조직"),
    "people": ("people", "사람"),
}


def add(area: str, label: Pair, words: dict[str, Pair]) -> None:
    """An app's own: `words` are of its actions, without the area before the point."""
    SUBJECTS[area] = label
    ACTIONS.update({f"{area}.{verb}": said for verb, said in words.items()})


def name_action(code: str) -> Pair:
    return ACTIONS.get(code, (code, code))


def name_field(code: str) -> Pair:
    return FIELDS.get(code, (code, code))
