"""The organisation and its people: units, users, and the tokens that programs hold."""

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pabal.platform.actor import Role
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.auth import IssuedLink, MadeToken, Token, User
    from pabal.platform.tenants import Unit

AREA = "people"
_ROWS, _VERBS, _FIND = "pabal.resources.rows", "pabal.resources.verbs", "pabal.cli.finding"
ROLES = {"viewer": ("viewer", "조회"), "operator": ("operator", "운영"), "admin": ("administrator", "관리")}
LEVELS = {
    "hq": ("HQ", "본사"),
    "distributor": ("distributor", "총판"),
    "agency": ("agency", "대리점"),
    "branch": ("branch", "지점"),
}
UnitLevel = Literal["hq", "distributor", "agency", "branch"]
_NAME = Rules(min_length=1, max_length=200)


class UnitView(View):
    """An organisation unit; `parent_id` is the one above."""

    id: int = field(("ID", "ID"), example=3)
    parent_id: int | None = field(("Below", "상위"), example=1)
    level: UnitLevel = field(("Level", "단계"), words=LEVELS, example="branch")
    name: str = field(("Name", "이름"), example="해운대점")
    is_demo: bool = field(("Demo", "데모"), example=False)
    created_at: datetime = field(("Made", "만든 때"))


class UserView(View):
    """A person. `state` is active, invited until they chose a password, or inactive."""

    id: int = field(("ID", "ID"), example=12)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    login: str = field(("Login", "아이디"), example="kim")
    name: str = field(("Name", "이름"), example="김운영")
    role: Role = field(("Role", "역할"), words=ROLES, example="operator")
    state: str = field(("State", "상태"), status="user", example="active")
    language: str | None = field(("Language", "언어"), example="ko")
    timezone: str = field(("Zone", "시간대"), example="Asia/Seoul")
    is_active: bool = field(("Active", "사용"), example=True)
    has_password: bool = field(("Has a password", "비밀번호 있음"), example=True)
    is_demo: bool = field(("Demo", "데모"), example=False)
    created_at: datetime = field(("Made", "만든 때"))
    signed_in_at: datetime | None = field(("Last sign-in", "마지막 로그인"))


class LinkView(View):
    """The link works once and is shown once."""

    user_id: int = field(("User", "사용자"), example=12)
    path: str = field(("Path", "경로"), example="/sign-in/link/…")
    expires_at: datetime = field(("Until", "기한"))


class TokenView(View):
    """`start` is how its secret begins, to recognise it by. `state` is active, rotating, expired or revoked."""

    id: int = field(("ID", "ID"), example=5)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="nightly report")
    state: str = field(("State", "상태"), status="token", example="active")
    role: Role = field(("Role", "역할"), words=ROLES, example="viewer")
    scopes: list[str] = field(("Scopes", "범위"), example=["jobs:read"])
    start: str = field(("Begins with", "앞부분"), example="pbl_Zk3vQx8a")
    made_by: int | None = field(("Made by", "만든 사람"), example=12)
    replaces: int | None = field(("Replaces", "이전 토큰"), example=None)
    replaced_by: int | None = field(("Replaced by", "새 토큰"), example=None)
    created_at: datetime = field(("Made", "만든 때"))
    expires_at: datetime = field(("Until", "기한"))
    last_used_at: datetime | None = field(("Last used", "마지막 사용"))
    revoked_at: datetime | None = field(("Revoked", "회수한 때"))


class MadeTokenView(TokenView):
    """The only time that the secret is shown."""

    secret: str = field(("Secret", "비밀값"), example="pbl_Zk3vQx8a…")


class MeView(View):
    """`units` null means the whole house."""

    name: str = field(("Name", "이름"), example="user:12")
    label: str = field(("Label", "표시 이름"), example="김운영")
    role: Role = field(("Role", "역할"), words=ROLES, example="operator")
    scopes: list[str] = field(("Scopes", "범위"), example=["*:manage"])
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    units: list[int] | None = field(("Units", "볼 수 있는 조직"), example=[3, 4])
    language: str = field(("Language", "언어"), example="ko")
    timezone: str = field(("Zone", "시간대"), example="Asia/Seoul")


class PreferencesView(View):
    """Null means: as the browser says."""

    language: Literal["ko", "en"] | None = field(("Language", "언어"), example="ko")
    timezone: str = field(("Zone", "시간대"), example="Asia/Seoul")
    theme: Literal["light", "dark"] | None = field(("Theme", "테마"), example=None)


class TelegramCodeView(View):
    """Shown once."""

    code: str = field(("Code", "코드"), example="7K2MQ9XWTB")
    expires_at: datetime = field(("Until", "기한"))


class SessionView(View):
    """Where somebody is signed in."""

    id: str = field(("ID", "ID"), example="ses_01h2xcejqtf2n")
    is_this: bool = field(("This one", "지금 이 로그인"), example=True)
    origin: str = field(("From", "접속 주소"), example="127.0.0.1")
    agent: str = field(("Browser", "브라우저"), example="Mozilla/5.0")
    created_at: datetime = field(("Signed in", "로그인"))
    seen_at: datetime = field(("Last seen", "마지막 사용"))
    expires_at: datetime = field(("Until", "기한"))


class Preference(Ask):
    """What is left out is as the browser says."""

    language: Literal["ko", "en"] | None = ask("In which language.", example="ko", default=None)
    timezone: str = ask("On which clock.", rules=_NAME, example="Asia/Seoul", default="Asia/Seoul")
    theme: Literal["light", "dark"] | None = ask("Bright or dark.", example=None, default=None)


class UserFilter(Filter):
    q: str | None = ask("A part of the login or the name.", option="--find", default=None)
    role: Role | None = ask("Only with this role.", default=None)
    active: bool | None = ask(
        "Only those who may sign in, or only those who may not.", option="--active/--inactive", default=None
    )


class NewUnit(Ask):
    parent_id: int = ask("The unit above.", rules=ROW_ID, example=1)
    level: UnitLevel = ask("What it is.", example="branch")
    name: str = ask("What it is called.", rules=_NAME, example="해운대점")


class UnitChange(Ask):
    """Only what is given changes."""

    name: str | None = ask("What it is called from now on.", rules=_NAME, example="해운대점", default=None)
    parent_id: int | None = ask("The unit above from now on.", rules=ROW_ID, example=2, default=None)


class UserToAdd(Ask):
    login: str = ask("What they sign in with.", rules=_NAME, example="kim")
    name: str = ask("What they are called.", rules=_NAME, example="김운영")
    unit_id: int = ask("Where they belong.", rules=ROW_ID, example=3)
    role: Role = ask("What they may do.", example="operator")


class UserChange(Ask):
    """Only what is given changes. Another role or unit, or being deactivated, ends a person's sessions and revokes the
    tokens they made, at once."""

    name: str | None = ask("What they are called.", rules=_NAME, example="김운영", default=None)
    role: Role | None = ask("What they may do.", example="viewer", default=None)
    unit_id: int | None = ask(
        "Where they belong.",
        option="--org",
        metavar="UNIT",
        find="pabal.platform.commands.options:find_unit_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )
    is_active: bool | None = ask("Whether they may sign in.", option="--active/--inactive", example=True, default=None)


class TokenToMake(Ask):
    name: str = ask("What it is for.", rules=_NAME, example="nightly report")
    unit_id: int = ask("Whose things it sees.", rules=ROW_ID, example=3)
    role: Role = ask("The most it may do.", example="viewer")
    scopes: tuple[str, ...] = ask("What it may touch.", rules=Rules(min_length=1, max_length=50), example=["jobs:read"])
    expires_at: datetime = ask("Until when it works.")


class TokenRotation(Ask):
    """The old secret works until the overlap is over."""

    expires_at: datetime | None = ask(
        "Until when the new one works; as long again if left out.", example="2026-12-31T00:00:00Z", default=None
    )
    overlap_seconds: int = ask(
        "How long the old secret works on.", rules=Rules(ge=0, le=30 * 86_400), example=86_400, default=86_400
    )


def view_unit(unit: "Unit", viewer: Viewer) -> UnitView:
    return UnitView.of(unit, level=str(unit.level))


def view_user(user: "User", viewer: Viewer) -> UserView:
    state = "inactive" if not user.is_active else "active" if user.has_password else "invited"
    return UserView.of(user, state=state, timezone=user.zone)


def view_link(link: "IssuedLink", viewer: Viewer) -> LinkView:
    return LinkView(user_id=link.user.id, path=f"/sign-in/link/{link.secret}", expires_at=link.expires_at)


def view_token(token: "Token", viewer: Viewer) -> TokenView:
    return TokenView.of(token, state=_state(token, viewer.now))


def view_made_token(made: "MadeToken", viewer: Viewer) -> MadeTokenView:
    return MadeTokenView.of(made.token, state=_state(made.token, viewer.now), secret=made.secret)


def _state(token: "Token", now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at <= now:
        return "expired"
    return "active" if token.replaced_by is None else "rotating"


UNIT = Noun(
    "unit",
    "units",
    AREA,
    UnitView,
    view=f"{__name__}:view_unit",
    find=f"{_ROWS}:get_unit",
    hold="pabal.platform.tenants:hold_unit",
    named=f"{_FIND}:find_unit",
    columns=("id", "name", "level", "parent_id"),
    which="Its number or its name.",
    get_help="Shows one unit.",
    show_command="",
)
UNIT.lists(
    "list_units",
    "Lists the organisation units you may see, in the order of the tree.",
    f"{_ROWS}:list_units",
    columns=UNIT.columns,
    empty=("No units yet: pabal up", "아직 조직이 없습니다: pabal up"),
    is_short=True,
    command="",
)
UNIT.verb("add", f"{_VERBS}:add_unit", "Adds a unit below another.", NewUnit, makes=True, in_commands=False)
UNIT.verb(
    "edit",
    f"{_VERBS}:edit_unit",
    "Renames a unit or moves it with everything below it.",
    UnitChange,
    method="PATCH",
    in_commands=False,
)
UNIT.verb(
    "remove",
    f"{_VERBS}:remove_unit",
    "Removes an empty unit.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Remove the unit {which}?", "조직 {which}을(를) 지울까요?"),
)

USER = Noun(
    "user",
    "users",
    AREA,
    UserView,
    view=f"{__name__}:view_user",
    find="pabal.platform.auth:get_user",
    hold="pabal.platform.auth.store:hold_user",
    named=f"{_FIND}:find_user",
    columns=(
        *("id", "login", "name", "role", "unit_id", "state", "signed_in_at"),
        *("language", "timezone", "created_at"),
    ),
    which="The login, or the number.",
    get_help="Shows one person.",
)
USER.lists(
    "list_users",
    "Lists the people of your organisation, by login.",
    f"{_ROWS}:list_users",
    columns=("id", "login", "name", "role", "unit_id", "state", "signed_in_at"),
    empty=("No matching users.", "그런 사용자가 없습니다."),
    wanted=UserFilter,
)
USER.verb(
    "add",
    f"{_VERBS}:add_user",
    "Adds a person, who signs in with a one-time link first.",
    UserToAdd,
    makes=True,
    in_commands=False,
)
USER.verb(
    "edit",
    "pabal.platform.auth:edit_user",
    "Changes a person's name, role, unit, or whether they may sign in.",
    UserChange,
    method="PATCH",
)
# the command line prints the whole address alone, and takes how long it works
USER.verb(
    "link",
    "pabal.platform.auth:issue_link",
    "Makes a one-time sign-in link; an earlier one is void.",
    operation="issue_link",
    status=201,
    shows=LinkView,
    view=f"{__name__}:view_link",
    in_commands=False,
)
USER.verb(
    "reset_password",
    "pabal.platform.auth:reset_password",
    "Voids a person's password, sessions and the tokens they made, and makes a link to choose a new one with.",
    operation="reset_password",
    path="/users/{id}/reset-password",
    status=201,
    shows=LinkView,
    view=f"{__name__}:view_link",
    in_commands=False,
)
USER.verb(
    "deactivate",
    "pabal.platform.auth:deactivate_user",
    "Lets a person in no more; their sessions, links and tokens end at once.",
    in_rest=False,  # REST says it with is_active
    confirm=(
        "End all sessions and tokens of {which} and let them in no more?",
        "{which} 사용자의 로그인과 토큰을 모두 끝내고 더는 들어오지 못하게 할까요?",
    ),
)

TOKEN = Noun(
    "token",
    "tokens",
    AREA,
    TokenView,
    view=f"{__name__}:view_token",
    find="pabal.platform.auth:get_token",
    hold="pabal.platform.auth.tokens:hold_token",
    named=f"{_FIND}:find_token",
    columns=("id", "name", "state", "role", "scopes", "unit_id", "start", "expires_at", "last_used_at"),
    which="Its number: see `pabal token list`.",
    get_help="Shows one token, without its secret.",
    show_command="",
)
TOKEN.lists(
    "list_tokens",
    "Lists the tokens of your organisation, the newest first, those that are over included.",
    f"{_ROWS}:list_tokens",
    columns=TOKEN.columns,
    empty=("No tokens yet.", "아직 토큰이 없습니다."),
)
# the command line prints the secret alone, takes how long it works, and shows no secret in a dry run
TOKEN.verb(
    "make",
    f"{_VERBS}:make_token",
    "Makes a token. Its secret is in this answer and nowhere else.",
    TokenToMake,
    makes=True,
    shows=MadeTokenView,
    view=f"{__name__}:view_made_token",
    location="/tokens/{id}",
    in_commands=False,
)
TOKEN.verb(
    "rotate",
    f"{_VERBS}:rotate_token",
    "Makes a new secret for the same rights; the old one works for a while longer.",
    TokenRotation,
    status=201,
    shows=MadeTokenView,
    view=f"{__name__}:view_made_token",
    location="/tokens/{id}",
    in_commands=False,
)
TOKEN.verb(
    "revoke",
    "pabal.platform.auth:revoke_token",
    "Revokes a token at once.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Revoke token {which}? Whoever uses it is shut out.", "토큰 {which}을(를) 회수할까요?"),
)
