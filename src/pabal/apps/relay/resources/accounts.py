"""Accounts, which are OpenClaw instances, and the codes that KakaoTalk users pair with one by."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pabal.apps.relay.model.messages import AREA, Account, PairingCode
from pabal.apps.relay.resources.names import (
    ACCOUNT_EXAMPLE,
    APP,
    FIND_UNIT,
    FINDING,
    READINGS,
    ROWS,
    STATUS_WORDS,
)
from pabal.platform.actor import Right
from pabal.platform.resources import KEPT, ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.apps.relay.actions.accounts import AccountToken

_ACTIONS, _STORE = f"{APP}.actions.accounts", f"{APP}.store.accounts"
_NAME, _LIMIT = Rules(min_length=1, max_length=100), Rules(ge=1, le=1_000_000)
HIDDEN = "••••-••••"


class RelayAccountView(View):
    """An OpenClaw instance. `state` is awake, asleep (nobody reads its messages), waiting (a session that nobody has
    paired with yet) or disabled. Its token is shown when it is issued, and never again."""

    id: str = field(("ID", "ID"), example=ACCOUNT_EXAMPLE)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    openclaw_user_id: str = field(("OpenClaw user", "OpenClaw 사용자"), example="kim@openclaw")
    name: str = field(("Name", "이름"), example="김비서")
    state: str = field(("State", "상태"), status="relay_account", is_told=True, example="awake")
    rate_limit_per_minute: int = field(("Requests a minute", "분당 요청 한도"), example=60)
    asks_owner: bool = field(
        ("Needs approval", "승인 필요"),
        description="A right code is not enough: somebody must approve each pairing.",
        example=False,
    )
    conversations: int = field(("Conversations", "대화"), is_told=True, example=2)
    queued: int = field(("Waiting", "대기"), description="Messages nobody has read yet.", is_told=True, example=0)
    read_at: datetime | None = field(
        ("Last read", "마지막 읽음"), description="When its instance last read its messages.", is_told=True
    )
    token_made_at: datetime = field(("Token issued", "토큰 발급"))
    old_token_until: datetime | None = field(
        ("Old token until", "이전 토큰 기한"),
        description="The token before still works until then. Null: it does not.",
        example=None,
    )
    session_until: datetime | None = field(
        ("To pair by", "페어링 기한"),
        description="Opened by an instance itself; removed unless somebody pairs by then.",
        example=None,
    )
    created_at: datetime = field(("Made", "만든 때"))
    disabled_at: datetime | None = field(("Switched off", "끈 때"), example=None)


class AccountTokenView(RelayAccountView):
    """The only time that the token is shown."""

    token: str = field(("Token", "토큰"), example="9f2c…64 hexadecimal digits")


class PairingCodeView(View):
    """A KakaoTalk user who sends `/pair CODE` is paired with the account. `state` is active, used, revoked or expired.
    `used_by` is the conversation's key."""

    code: str = field(
        ("Code", "코드"), description="Hidden while it is active from those who may only look.", example="ABCD-2345"
    )
    account_id: str = field(("Account ID", "계정 ID"), example=ACCOUNT_EXAMPLE)
    account_name: str = field(("Account", "계정"), example="김비서")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    state: str = field(("State", "상태"), status="relay_code", is_told=True, example="active")
    expires_at: datetime = field(("Until", "기한"))
    used_at: datetime | None = field(("Used", "사용한 때"), example=None)
    used_by: str | None = field(("Used by", "사용한 대화"), example=None)
    metadata: dict[str, Any] = field(("Notes", "메모"), example={"for": "김손님"})
    created_at: datetime = field(("Made", "만든 때"))
    revoked_at: datetime | None = field(("Revoked", "취소한 때"), example=None)


def view_account(account: Account, viewer: Viewer) -> RelayAccountView:
    return RelayAccountView.of(account, **_shown(account, viewer))


def view_account_token(made: "AccountToken", viewer: Viewer) -> AccountTokenView:
    return AccountTokenView.of(made.account, **_shown(made.account, viewer), token=made.token)


def _shown(account: Account, viewer: Viewer) -> dict[str, Any]:
    until = account.old_token_until
    return {"id": str(account.id), "old_token_until": until if until is not None and until > viewer.now else None}


def view_code(code: PairingCode, viewer: Viewer) -> PairingCodeView:
    """An active code pairs whoever sends it, so that reading it takes the right to make one."""
    state = code.state_at(viewer.now)
    is_hidden = state == "active" and not viewer.actor.may(Right.WRITE, AREA)
    shown = HIDDEN if is_hidden else code.code
    return PairingCodeView.of(code, code=shown, account_id=str(code.account_id), state=state)


class RelayAccountFilter(Filter):
    q: str | None = ask("A part of its name or of its OpenClaw user.", option="--find", default=None)
    sessions: bool = ask("Also sessions that nobody has paired with yet.", default=False)


class AccountToMake(Ask):
    """Without a unit it is your own's; without a limit, as the setting has it."""

    name: str = ask("What people call it.", argument=True, metavar="NAME", rules=_NAME, example="김비서")
    openclaw_user_id: str | None = ask(
        "Its OpenClaw user, once in the whole house; made up if left out.",
        option="--user",
        metavar="TEXT",
        rules=Rules(min_length=1, max_length=200),
        example="kim@openclaw",
        default=None,
    )
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=FIND_UNIT, rules=ROW_ID, example=3, default=None
    )
    rate_limit_per_minute: int | None = ask(
        "How many requests it may make in a minute.", option="--limit", rules=_LIMIT, example=60, default=None
    )
    asks_owner: bool = ask("Somebody must approve each pairing.", option="--ask-owner", default=False)


class AccountChange(Ask):
    """JSON merge patch: only what is given changes."""

    name: str = ask("What people call it.", rules=_NAME, example="김비서", default=KEPT)
    unit_id: int = ask(
        "Whose it is, with its conversations and messages.",
        option="--org",
        metavar="UNIT",
        find=FIND_UNIT,
        rules=ROW_ID,
        example=3,
        default=KEPT,
    )
    rate_limit_per_minute: int = ask(
        "How many requests it may make in a minute.", option="--limit", rules=_LIMIT, example=60, default=KEPT
    )
    asks_owner: bool = ask(
        "Somebody must approve each pairing.", option="--ask-owner/--no-ask-owner", example=True, default=KEPT
    )


class AccountRotation(Ask):
    """Without an overlap, as the setting has it; with 0 the old token ends at once."""

    overlap_seconds: int | None = ask(
        "How long the old token works on: 24h, 0s.",
        option="--overlap",
        metavar="SPAN",
        find=f"{FINDING}:read_seconds",
        rules=Rules(ge=0, le=7 * 86_400),
        example=86_400,
        default=None,
    )

    def arguments(self) -> dict[str, Any]:
        return {"overlap": None if self.overlap_seconds is None else timedelta(seconds=self.overlap_seconds)}


class AccountDisabling(Ask):
    reason: str | None = ask(
        "Why; kept in the audit.", option="--message,-m", metavar="TEXT", example="Left the team.", default=None
    )


class PairingCodeFilter(Filter):
    account: UUID | None = ask(
        "Only of this account.", find=f"{FINDING}:find_account_id", example=ACCOUNT_EXAMPLE, default=None
    )
    ended: bool = ask("Also those that were used, revoked or have expired.", option="--all", default=False)


class PairingCodeToMake(Ask):
    """An account has at most five active codes at a time."""

    account_id: UUID = ask(
        "Whom its user is paired with: a name or an id.",
        argument=True,
        metavar="ACCOUNT",
        find=f"{FINDING}:find_account_id",
        example=ACCOUNT_EXAMPLE,
    )
    expires_in_seconds: int | None = ask(
        "How long it works, from 1m to 24h; ten minutes if left out.",
        option="--for",
        metavar="SPAN",
        find=f"{FINDING}:read_seconds",
        rules=Rules(ge=60, le=86_400),
        example=600,
        default=None,
    )
    # a command has nothing to keep beside a code
    metadata: dict[str, str] = ask(
        "What to keep beside it; nobody at Kakao sees it.",
        read=f"{READINGS}:CodeNotes",
        example={"for": "김손님"},
        rest_only=True,
        default_factory=dict,
    )

    def arguments(self) -> dict[str, Any]:
        seconds = self.expires_in_seconds
        life = None if seconds is None else timedelta(seconds=seconds)
        return {"account_id": self.account_id, "expires_in": life, "metadata": dict(self.metadata)}


_COLUMNS = ("id", "name", "state", "unit_id", "conversations", "queued", "read_at", "rate_limit_per_minute")
ACCOUNT = Noun(
    "account",
    "accounts",
    AREA,
    RelayAccountView,
    view=f"{__name__}:view_account",
    find=f"{_STORE}:get_account",
    hold=f"{_STORE}:hold_account",
    named=f"{FINDING}:find_account",
    reads_key=f"{READINGS}:AccountId",
    words=STATUS_WORDS,
    columns=(
        *_COLUMNS,
        *("asks_owner", "openclaw_user_id", "token_made_at", "old_token_until", "session_until", "created_at"),
        "disabled_at",
    ),
    which="Its name, its OpenClaw user, or its id.",
    called="relay_account",
    get_help="Shows one account, without its token.",
)
ACCOUNT.lists(
    "list_relay_accounts",
    "Lists accounts, the newest first.",
    f"{ROWS}:list_accounts",
    columns=(*_COLUMNS, "token_made_at"),
    empty=(
        "No accounts. Example: pabal relay account new NAME --org UNIT",
        "계정이 없습니다. 예: pabal relay account new 이름 --org 조직",
    ),
    wanted=RelayAccountFilter,
)
# the command line prints the token alone with -o plain, and shows none that was only tried
ACCOUNT.verb(
    "create",
    f"{_ACTIONS}:create_account",
    "Makes an account. Its token is in this answer and nowhere else.",
    AccountToMake,
    makes=True,
    shows=AccountTokenView,
    view=f"{__name__}:view_account_token",
    location="/accounts/{id}",
    in_commands=False,
)
ACCOUNT.verb(
    "edit",
    f"{_ACTIONS}:edit_account",
    "Changes only what is given. Conversations and messages go with their account to another unit.",
    AccountChange,
    method="PATCH",
)
ACCOUNT.verb(
    "rotate",
    f"{_ACTIONS}:rotate_token",
    "Issues a new token, shown once. The old one works on for a while.",
    AccountRotation,
    shows=AccountTokenView,
    view=f"{__name__}:view_account_token",
    in_commands=False,
)
ACCOUNT.verb(
    "disable",
    f"{_ACTIONS}:disable_account",
    "Switches an account off at once: its streams end, its tokens are refused, and its users are told.",
    AccountDisabling,
)
ACCOUNT.verb("enable", f"{_ACTIONS}:enable_account", "Switches an account on again. Its token works as before.")

CODE = Noun(
    "code",
    "codes",
    AREA,
    PairingCodeView,
    view=f"{__name__}:view_code",
    find=f"{_STORE}:get_code",
    hold=f"{_STORE}:hold_code",
    named=f"{FINDING}:find_code",
    key="code",
    reads_key=f"{READINGS}:CodeTyped",
    words=STATUS_WORDS,
    columns=(
        "code",
        "state",
        "account_name",
        "unit_id",
        "expires_at",
        "used_at",
        "used_by",
        "revoked_at",
        "created_at",
    ),
    which="The code, with or without its dash.",
    called="pairing_code",
    get_help="Shows one pairing code.",
    show_command="",
)
CODE.lists(
    "list_pairing_codes",
    "Lists active pairing codes, the newest first.",
    f"{ROWS}:list_codes",
    columns=("code", "state", "account_name", "unit_id", "expires_at", "used_by", "created_at"),
    empty=(
        "No active codes. Example: pabal relay pair new ACCOUNT",
        "사용할 수 있는 코드가 없습니다. 예: pabal relay pair new 계정",
    ),
    wanted=PairingCodeFilter,
)
# the command prints what to send in KakaoTalk, and its QR code
CODE.verb(
    "make",
    f"{_ACTIONS}:new_code",
    "Makes a pairing code. A user who sends `/pair CODE` to the channel is paired with the account; it works once.",
    PairingCodeToMake,
    makes=True,
    in_commands=False,
)
CODE.verb("revoke", f"{_ACTIONS}:revoke_code", "Revokes an active pairing code. Nobody can pair by it any more.")
