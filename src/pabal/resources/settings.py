"""Settings: what an operator may change at run time."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.platform.language.pairs import put
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.settings import Listed

COLUMNS = ("key", "value", "default", "label", "changed_by")
DETAILS = (
    *("key", "value", "default", "seed", "requirement", "label", "help", "bounds", "choices", "needs_restart"),
    *("changed_by", "changed_at", "problem"),
)


class SettingView(View):
    """Values are written as people write them: true, 24h, 0.5. `seed` is what the first system said."""

    key: str = field(("Key", "키"), example="backup.keep")
    value: str = field(("Value", "값"), example="14d")
    default: str = field(("Default", "기본값"), example="14d")
    is_changed: bool = field(("Changed", "바뀜"), example=False)
    kind: str = field(("Kind", "종류"), example="timedelta")
    label: str = field(("What", "이름"), example="Keep backups")
    help: str = field(("Meaning", "설명"), example="How long a backup is kept.")
    group: str = field(("Group", "묶음"), example="Backup")
    bounds: str = field(("Bounds", "범위"), example="1d … 3650d")
    choices: list[str] = field(("Choices", "고를 수 있는 값"), example=[])
    seed: str | None = field(("Seed", "원본 값"), example=None)
    requirement: str | None = field(("Requirement", "요구사항"), example=None)
    needs_restart: bool = field(("Needs restart", "다시 시작 필요"), example=False)
    version: int = field(("Version", "판"), example=0)
    changed_at: datetime | None = field(("Changed at", "바꾼 때"))
    changed_by: str | None = field(("Changed by", "바꾼 사람"), example="user:12")
    problem: str | None = field(("Problem", "문제"), example=None)


class SettingFilter(Filter):
    area: str | None = ask("Only of this app or room: the first word of the key.", example="backup", default=None)


class SettingValue(Ask):
    value: str | bool | int | float = ask("As people write it: 30, 0.5, true, 24h.", argument=True, example="30d")

    def arguments(self) -> dict[str, Any]:
        return {"value": self.value if isinstance(self.value, str) else str(self.value).lower()}


def view_setting(found: "Listed", viewer: Viewer) -> SettingView:
    setting = found.setting
    return SettingView(
        key=setting.key,
        value=found.text,
        default=found.default_text,
        is_changed=found.is_changed,
        kind=setting.kind,
        label=put(viewer.lang, setting.label),
        help=put(viewer.lang, setting.help),
        group=put(viewer.lang, setting.group),
        bounds=setting.bounds,
        choices=[choice.value for choice in setting.choices],
        seed=setting.seed,
        requirement=setting.requirement,
        needs_restart=setting.needs_restart,
        version=found.version,
        changed_at=found.changed_at,
        changed_by=found.changed_by,
        problem=found.problem,
    )


SETTING = Noun(
    "setting",
    "settings",
    "settings",
    SettingView,
    view=f"{__name__}:view_setting",
    find="pabal.resources.rows:get_setting",
    hold="pabal.platform.settings.store:lock_row",
    columns=COLUMNS,
    key="key",
    reads_key="pabal.api.parts:SettingKey",
    needs=("catalogue",),
    get_help="Shows one setting.",
    show_command="",
    is_versioned=True,
)
SETTING.lists(
    "list_settings",
    "Lists every setting with its default and who changed it.",
    "pabal.resources.rows:list_settings",
    columns=COLUMNS,
    empty=("No such settings.", "그런 설정이 없습니다."),
    wanted=SettingFilter,
    is_short=True,
    of_house=True,
)
# `pabal config set` and `reset` say when a restart is needed, and show the value alone with -o plain
SETTING.verb(
    "change",
    "pabal.resources.verbs:change_setting",
    "Changes a setting; with If-Match only if nobody changed it since you read it.",
    SettingValue,
    method="PUT",
    path="/settings/{key}",
    in_commands=False,
)
SETTING.verb(
    "reset",
    "pabal.resources.verbs:reset_setting",
    "Sets a setting back to its default.",
    method="DELETE",
    in_commands=False,
)
