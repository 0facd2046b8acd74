"""Settings: what an operator may change at run time."""

from typing import Annotated

from fastapi import Path
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, house_of, may_read, noun
from pabal.base.database import Tx
from pabal.platform import settings
from pabal.platform.settings import Listed
from pabal.platform.web.etags import answer_one, expected_version, matching
from pabal.platform.web.filters import Text
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.rest import viewer_of
from pabal.platform.web.visit import Visit
from pabal.resources.settings import SettingView, view_setting

router = noun("settings")
Key = Annotated[str, Path(max_length=100, description="The setting's key.", examples=["backup.keep"])]


ShownSetting = model_of(SettingView)


class Value(Asked):
    value: Text | bool | int | float = Field(examples=["30d"])

    @property
    def text(self) -> str:
        return self.value if isinstance(self.value, str) else str(self.value).lower()


@router.get("/settings", response_model=Page[ShownSetting])  # type: ignore[valid-type]  # made from the view
async def list_settings(visit: Visitor) -> Response:
    """Lists every setting with its default and who changed it."""
    may_read(visit, settings.AREA)
    async with visit.read() as tx:
        found = await settings.list_settings(tx, house_of(visit).catalogue)
    return answer_all([view_setting(one, viewer_of(visit)) for one in found])


@router.get("/settings/{key}", response_model=ShownSetting)
async def get_setting(visit: Visitor, key: Key) -> Response:
    """Shows one setting."""
    may_read(visit, settings.AREA)
    async with visit.read() as tx:
        found = await settings.get_setting(tx, house_of(visit).catalogue[key])
    return _answer(visit, found)


@router.put("/settings/{key}", response_model=ShownSetting)
async def change_setting(visit: Visitor, once: OnceOnly, key: Key, asked: Value) -> Response:
    """Changes a setting; with If-Match only if nobody changed it since you read it."""

    async def act(tx: Tx) -> Response:
        setting = house_of(visit).catalogue[key]
        with matching():
            after = await settings.change(tx, visit.actor, setting, asked.text, version=expected_version(visit))
        return _answer(visit, after)

    return await once.run(act)


@router.delete("/settings/{key}", response_model=ShownSetting)
async def reset_setting(visit: Visitor, key: Key) -> Response:
    """Sets a setting back to its default."""
    async with visit.change() as tx:
        with matching():
            after = await settings.reset(
                tx, visit.actor, house_of(visit).catalogue[key], version=expected_version(visit)
            )
    return _answer(visit, after)


def _answer(visit: Visit, found: Listed) -> Response:
    return answer_one(visit, view_setting(found, viewer_of(visit)), version=found.version)
