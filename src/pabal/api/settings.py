"""Settings: what an operator may change at run time."""

from datetime import datetime
from typing import Annotated

from fastapi import Path
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Shown, house_of, may_read, noun
from pabal.base.database import Tx
from pabal.platform import settings
from pabal.platform.language.pairs import put
from pabal.platform.settings import Listed
from pabal.platform.web.etags import answer_one, expected_version, matching
from pabal.platform.web.filters import Text
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.visit import Visit

router = noun("settings")
Key = Annotated[str, Path(max_length=100, description="The setting's key.", examples=["backup.keep"])]


class SettingShown(Shown):
    """Values are written as people write them: true, 24h, 0.5. `seed` is what the first system said."""

    key: str = Field(examples=["backup.keep"])
    value: str = Field(examples=["14d"])
    default: str = Field(examples=["14d"])
    is_changed: bool = Field(examples=[False])
    kind: str = Field(examples=["timedelta"])
    label: str = Field(examples=["Keep backups"])
    help: str = Field(examples=["How long a backup is kept."])
    group: str = Field(examples=["Backup"])
    bounds: str = Field(examples=["1d … 3650d"])
    choices: list[str] = Field(examples=[[]])
    seed: str | None = Field(examples=[None])
    requirement: str | None = Field(examples=[None])
    needs_restart: bool = Field(examples=[False])
    version: int = Field(examples=[0])
    changed_at: datetime | None
    changed_by: str | None = Field(examples=["user:12"])
    problem: str | None = Field(examples=[None])


class Value(Asked):
    value: Text | bool | int | float = Field(examples=["30d"])

    @property
    def text(self) -> str:
        return self.value if isinstance(self.value, str) else str(self.value).lower()


@router.get("/settings", response_model=Page[SettingShown])
async def list_settings(visit: Visitor) -> Response:
    """Lists every setting with its default and who changed it."""
    may_read(visit, settings.AREA)
    async with visit.read() as tx:
        found = await settings.list_settings(tx, house_of(visit).catalogue)
    shown = [_show(visit, one) for one in found]
    return answer_all(shown)


@router.get("/settings/{key}", response_model=SettingShown)
async def get_setting(visit: Visitor, key: Key) -> Response:
    """Shows one setting."""
    may_read(visit, settings.AREA)
    async with visit.read() as tx:
        found = await settings.get_setting(tx, house_of(visit).catalogue[key])
    return _answer(visit, found)


@router.put("/settings/{key}", response_model=SettingShown)
async def change_setting(visit: Visitor, once: OnceOnly, key: Key, asked: Value) -> Response:
    """Changes a setting; with If-Match only if nobody changed it since you read it."""

    async def act(tx: Tx) -> Response:
        setting = house_of(visit).catalogue[key]
        with matching():
            after = await settings.change(tx, visit.actor, setting, asked.text, version=expected_version(visit))
        return _answer(visit, after)

    return await once.run(act)


@router.delete("/settings/{key}", response_model=SettingShown)
async def reset_setting(visit: Visitor, key: Key) -> Response:
    """Sets a setting back to its default."""
    async with visit.change() as tx:
        with matching():
            after = await settings.reset(
                tx, visit.actor, house_of(visit).catalogue[key], version=expected_version(visit)
            )
    return _answer(visit, after)


def _answer(visit: Visit, found: Listed) -> Response:
    return answer_one(visit, _show(visit, found), version=found.version)


def _show(visit: Visit, found: Listed) -> SettingShown:
    setting = found.setting
    return SettingShown(
        key=setting.key,
        value=found.text,
        default=found.default_text,
        is_changed=found.is_changed,
        kind=setting.kind,
        label=put(visit.lang, setting.label),
        help=put(visit.lang, setting.help),
        group=put(visit.lang, setting.group),
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
