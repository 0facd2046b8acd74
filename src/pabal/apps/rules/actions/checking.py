"""What is wrong with a rule, beside each field, and what is worth knowing of it before it is saved."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from pabal.apps.rules.errors import BadScriptPath, NothingToDo, RuleRefused, UnknownSource
from pabal.apps.rules.lookups import list_labels
from pabal.apps.rules.model import callbacks
from pabal.apps.rules.model.callbacks import CallbackType
from pabal.apps.rules.model.cleaning import is_clean
from pabal.apps.rules.model.rules import LARGEST_PAYLOAD, LONGEST_NAME, MisfirePolicy, RuleForm
from pabal.apps.rules.permissions import MOST_FOLDERS, NETWORK, ScriptCeiling, allows_of, is_folder
from pabal.apps.rules.startup import RulesStartup
from pabal.base.errors import PabalError
from pabal.base.settings import read_app_settings
from pabal.engine import conditions
from pabal.engine.misfires import LARGEST_MAX
from pabal.engine.recurrence import Cron, cron_warnings, describe, find_zone, preview
from pabal.platform.events.model import check_name, check_word
from pabal.platform.findings import Finding, find_wrong
from pabal.platform.language.pairs import Pair

SHOWN = 5
_NAME: Pair = ("A name has 1 to 200 characters.", "이름은 1~200자로 적어 주세요.")
_PAYLOAD: Pair = ("The payload is an object of at most 64 KB.", "페이로드는 64KB 이하의 객체여야 합니다.")
_CHARACTERS: Pair = (
    "It holds a character or a number that cannot be kept.",
    "저장할 수 없는 문자나 숫자가 들어 있습니다.",
)
_KEPT_AS_THEY_ARE = (
    *("name", "schedule", "zone", "source", "execution_script_path", "script_function"),
    *("payload", "condition", "on_success", "on_failure"),
)
_MOST: Pair = (
    f"How many to make up for, 1 to {LARGEST_MAX}, belongs to run_all and is needed there.",
    f"몇 번까지 만회할지는 run_all일 때만, 1~{LARGEST_MAX}로 적습니다.",
)
_FUNCTION: Pair = ("A function's name has 1 to 200 characters.", "함수 이름은 1~200자로 적어 주세요.")
_NO_SCRIPT: Pair = ("This belongs to a rule with a script.", "스크립트가 있는 룰에만 쓸 수 있습니다.")
_FOLDERS: Pair = (
    f"Write whole paths such as /srv/data, at most {MOST_FOLDERS}.",
    f"/srv/data처럼 전체 경로로, {MOST_FOLDERS}개까지 적을 수 있습니다.",
)
_NO_NETWORK: Pair = (
    "This server allows no script the network (PABAL_RULES_SCRIPT_NETWORK).",
    "이 서버는 스크립트에 네트워크를 허용하지 않습니다(PABAL_RULES_SCRIPT_NETWORK).",
)
_NO_FOLDER: Pair = (
    "This server allows scripts no such folder (PABAL_RULES_SCRIPT_FOLDERS, PABAL_RULES_SCRIPT_WRITE_FOLDERS).",
    "이 서버는 스크립트에 이 폴더를 허용하지 않습니다(PABAL_RULES_SCRIPT_FOLDERS, PABAL_RULES_SCRIPT_WRITE_FOLDERS).",
)
_OF_SCRIPTS = (
    "script_function",
    "fetch_before_run",
    "allow_network",
    "read_folders",
    "write_folders",
    "artifact_days",
)
_RANGE: Pair = ("From {least} to {most}.", "{least}부터 {most}까지 적을 수 있습니다.")
RANGES = {
    "timeout_seconds": (1, 86_400),
    "max_attempts": (1, 100),
    "retry_seconds": (1, 86_400),
    "cooldown_seconds": (0, 31_536_000),
    "artifact_days": (1, 3650),
}


@dataclass(frozen=True, slots=True)
class Timetable:
    """A schedule in words, its next moments, and what is odd about it."""

    words: Pair
    moments: tuple[datetime, ...]
    warnings: tuple[Pair, ...]


def check(form: RuleForm) -> None:
    """Raises RuleRefused with everything that is wrong."""
    found = find_faults(form)
    if found:
        raise RuleRefused(found)


def find_faults(form: RuleForm) -> list[Finding]:
    found = [
        *_names(form),
        *_of(lambda: find_zone(form.zone), "zone"),
        *_of(lambda: Cron(form.schedule), "schedule"),
        *([] if form.condition is None else _of(lambda: conditions.check(form.condition), "condition")),
        *_of(lambda: _check_callbacks(form.on_success), "on_success"),
        *_of(lambda: _check_callbacks(form.on_failure), "on_failure"),
        *_of(lambda: check_script_path(form.execution_script_path), "execution_script_path"),
        *_of(lambda: _check_source(form), "source"),
    ]
    return [*found, *_script_fields(form), *_numbers(form)]


def look_ahead(form: RuleForm, now: datetime) -> Timetable:
    """Raises where the schedule cannot be read."""
    timing = form.timing
    ahead = preview(timing, now, SHOWN)
    odd = tuple((one.en, one.ko) for one in cron_warnings(form.schedule))
    moments = tuple(one.moment for one in ahead if one.excluded is None)
    return Timetable((describe(timing, "en"), describe(timing, "ko")), moments, odd)


def check_script_path(path: str | None) -> None:
    if path is None:
        return
    parts = PurePosixPath(path).parts
    is_inside = not path.startswith("/") and ".." not in parts and "\\" not in path and "\0" not in path
    if not is_inside or not path.endswith(".py") or not 4 <= len(path) <= 500:
        raise BadScriptPath(path[:100])


def _check_callbacks(given: list[dict[str, Any]]) -> None:
    for one in callbacks.read_all(given):
        if one.type is CallbackType.EVENT:
            check_name(one.config["name"])
            check_word(one.config.get("key", ""))


def _check_source(form: RuleForm) -> None:
    if form.source is None and form.execution_script_path is None:
        raise NothingToDo
    if form.source is not None and form.source not in list_labels():
        raise UnknownSource(form.source[:50])


def _of(checks: Callable[[], object], field: str) -> list[Finding]:
    try:
        checks()
    except PabalError as error:
        return [find_wrong(error, field)]
    return []


def _names(form: RuleForm) -> list[Finding]:
    found = []
    if not 1 <= len(form.name.strip()) <= LONGEST_NAME:
        found.append(Finding("bad_name", "name", _NAME))
    size = len(json.dumps(form.payload, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > LARGEST_PAYLOAD:
        found.append(Finding("bad_payload", "payload", _PAYLOAD))
    odd = [field for field in _KEPT_AS_THEY_ARE if not is_clean(getattr(form, field))]
    return [*found, *(Finding("bad_characters", field, _CHARACTERS) for field in odd)]


def _script_fields(form: RuleForm) -> list[Finding]:
    """What says something of a script belongs to a rule that has one, and stays within what the server allows."""
    found = []
    if form.script_function is not None and not 1 <= len(form.script_function) <= LONGEST_NAME:
        found.append(Finding("bad_function", "script_function", _FUNCTION))
    wished = [field for field in _OF_SCRIPTS if getattr(form, field)]
    if form.execution_script_path is None:
        return [*found, *(Finding("no_script", field, _NO_SCRIPT) for field in wished)]
    for field in ("read_folders", "write_folders"):
        folders = getattr(form, field)
        if len(folders) > MOST_FOLDERS or not all(map(is_folder, folders)):
            found.append(Finding("bad_folder", field, _FOLDERS))
    return found or _beyond(form)


def _beyond(form: RuleForm) -> list[Finding]:
    refused = ScriptCeiling.of(read_app_settings(RulesStartup)).list_refused(allows_of(form))
    found = [Finding("not_allowed", "allow_network", _NO_NETWORK)] if NETWORK in refused else []
    for field in ("read_folders", "write_folders"):
        if set(getattr(form, field)) & set(refused):
            found.append(Finding("not_allowed", field, _NO_FOLDER))
    return found


def _numbers(form: RuleForm) -> list[Finding]:
    is_all = form.misfire is MisfirePolicy.RUN_ALL
    found = []
    if is_all != (form.misfire_max is not None) or not 1 <= (form.misfire_max or 1) <= LARGEST_MAX:
        found.append(Finding("bad_misfire", "misfire_max", _MOST))
    for field, (least, most) in RANGES.items():
        number = getattr(form, field)
        if number is not None and not least <= number <= most:
            said = (_RANGE[0].format(least=least, most=most), _RANGE[1].format(least=least, most=most))
            found.append(Finding("out_of_range", field, said))
    return found
