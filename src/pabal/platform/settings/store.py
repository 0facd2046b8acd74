"""The table of settings, where only what somebody changed has a row, and the verbs that change it."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.settings.model import Catalogue, Setting, SettingChanged, V
from pabal.platform.tenants import require_house

SQL = load(__file__)

declare("settings.unusable", "Kept values a setting no longer allows; its default is used", level=logging.WARNING)


@dataclass(frozen=True, slots=True)
class Row:
    key: str
    value: str | None
    version: int
    changed_at: datetime | None
    changed_by: str | None
    changed_by_label: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A setting as it stands now. `version` goes up with every change, 0 being never changed; `problem` says why a
    kept value is not used any more."""

    setting: Setting[Any]
    value: Any
    version: int
    changed_at: datetime | None
    changed_by: str | None
    changed_by_label: str | None
    problem: str | None

    @property
    def is_changed(self) -> bool:
        return bool(self.value != self.setting.default)

    @property
    def text(self) -> str:
        return self.setting.show(self.value)

    @property
    def default_text(self) -> str:
        return self.setting.show(self.setting.default)


class Values:
    """Several settings read in one statement: `values[KEEP_DAYS]`."""

    def __init__(self, kept: dict[str, str], asked: frozenset[str]) -> None:
        self._kept = kept
        self._asked = asked

    def __getitem__(self, setting: Setting[V]) -> V:
        if setting.key not in self._asked:
            raise KeyError(setting.key)
        return understand(setting, self._kept.get(setting.key))[0]


async def value(tx: Tx, setting: Setting[V]) -> V:
    """The current value; the default while nobody has changed it."""
    return (await values(tx, [setting]))[setting]


async def values(tx: Tx, settings: Iterable[Setting[Any]]) -> Values:
    keys = [setting.key for setting in settings]
    kept = {row["key"]: row["value"] for row in await tx.rows(SQL.find_values, keys=keys)}
    return Values(kept, frozenset(keys))


def values_of(kept: dict[str, str], settings: Iterable[Setting[Any]]) -> Values:
    """From what `pabal.settings_of` answered, in a statement of the settings' own area."""
    return Values(kept, frozenset(setting.key for setting in settings))


async def list_settings(tx: Tx, catalogue: Catalogue) -> list[Listed]:
    """In the order of the catalogue."""
    rows = {row.key: row for row in await tx.all(Row, SQL.list_rows, key=None)}
    return [as_listed(setting, rows.get(setting.key)) for setting in catalogue]


async def list_unknown(tx: Tx, catalogue: Catalogue) -> list[str]:
    """Keys of rows left by settings that no longer exist. They do nothing, and are there again if the setting is."""
    return [row.key for row in await tx.all(Row, SQL.list_rows, key=None) if row.key not in catalogue]


async def get_setting(tx: Tx, setting: Setting[Any]) -> Listed:
    return as_listed(setting, await tx.one(Row, SQL.list_rows, key=setting.key))


async def lock_row(tx: Tx, key: str) -> Row:
    [row] = await tx.all(Row, SQL.lock_row, key=key)
    return row


async def update_row(tx: Tx, key: str, value: str | None, *, by: str, label: str) -> None:
    """Its version goes up by one."""
    await tx.run(SQL.update_row, key=key, value=value, now=tx.now, by=by, label=label)


def as_listed(setting: Setting[Any], row: Row | None) -> Listed:
    if row is None:
        return Listed(setting, setting.default, 0, None, None, None, None)
    current, problem = understand(setting, row.value)
    return Listed(setting, current, row.version, row.changed_at, row.changed_by, row.changed_by_label, problem)


def understand(setting: Setting[V], kept: str | None) -> tuple[V, str | None]:
    """A newer version may have tightened what a setting allows: work goes on with the default, and it is said."""
    if kept is None:
        return setting.default, None
    try:
        return setting.parse(kept), None
    except Invalid as error:
        emit("settings.unusable", key=setting.key, error=str(error))
        return setting.default, str(error)


AREA = "settings"
CHANGED = "settings.changed"


async def change(tx: Tx, actor: Actor, setting: Setting[V], to: V | str, *, version: int | None = None) -> Listed:
    """`to` is the value, or how somebody wrote it. `version` is the one they saw: None changes it in any case."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    wanted = setting.parse(to) if isinstance(to, str) else setting.checked(to)
    return await _write(tx, actor, "settings.change", setting, setting.show(wanted), version=version)


async def reset(tx: Tx, actor: Actor, setting: Setting[Any], *, version: int | None = None) -> Listed:
    """Back to the default, and along with it should a later version have another one."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    return await _write(tx, actor, "settings.reset", setting, None, version=version)


async def _write(  # long: whose change, of what, to what, seen at which version
    tx: Tx, actor: Actor, action: str, setting: Setting[Any], text: str | None, *, version: int | None
) -> Listed:
    row = await lock_row(tx, setting.key)
    if version is not None and version != row.version:
        raise SettingChanged(f"{setting.key}: version {row.version}, not {version}")
    if row.value == text:
        return as_listed(setting, row)
    before = as_listed(setting, row).text
    await update_row(tx, setting.key, text, by=actor.name, label=actor.label)
    after = await get_setting(tx, setting)
    said = {"key": setting.key, "actor": actor.name, "before": before, "after": after.text}
    await facts.record(tx, CHANGED, f"setting:{setting.key}", said)
    await audit.record(
        tx, actor, action, f"setting:{setting.key}", before={"value": before}, after={"value": after.text}
    )
    return after
