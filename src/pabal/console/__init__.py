"""The console: pages of the engine and the platform. A route reads the visit, calls one query or action, and shows."""

from pathlib import Path

from fastapi import APIRouter

from pabal.console import account, entry, facts, jobs, occurrences, overview, schedules, search, travel, why

TEMPLATES = Path(__file__).parent / "templates"

router = APIRouter(include_in_schema=False)
for page in (overview, jobs, schedules, occurrences, facts, search, why, entry, account, travel):
    router.include_router(page.router)
