"""The console pages of messaging. What has a word where others have a number comes first."""

from fastapi import APIRouter

from pabal.apps.messaging.pages import (
    archives,
    bots,
    deliveries,
    delivery,
    files,
    form,
    room,
    rooms,
    schedule,
    schedules,
    statistics,
    templates_,
    wizard,
)

router = APIRouter(include_in_schema=False)
for page in (
    *(files, form, wizard, schedules, schedule, templates_),
    *(rooms, room, bots, archives, deliveries, delivery, statistics),
):
    router.include_router(page.router)
