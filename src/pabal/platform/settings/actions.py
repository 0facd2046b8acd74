"""Changing a setting: asks for the right, changes, records the fact and writes the audit in one commit."""

from typing import Any

from pabal.base.database import Tx
from pabal.engine import facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.settings import store
from pabal.platform.settings.model import Setting, SettingChanged, V
from pabal.platform.settings.store import Listed
from pabal.platform.tenants import require_house

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
    row = await store.lock_row(tx, setting.key)
    if version is not None and version != row.version:
        raise SettingChanged(f"{setting.key}: version {row.version}, not {version}")
    if row.value == text:
        return store.as_listed(setting, row)
    before = store.as_listed(setting, row).text
    await store.update_row(tx, setting.key, text, by=actor.name, label=actor.label)
    after = await store.get_setting(tx, setting)
    said = {"key": setting.key, "actor": actor.name, "before": before, "after": after.text}
    await facts.record(tx, CHANGED, f"setting:{setting.key}", said)
    await audit.record(
        tx, actor, action, f"setting:{setting.key}", before={"value": before}, after={"value": after.text}
    )
    return after
