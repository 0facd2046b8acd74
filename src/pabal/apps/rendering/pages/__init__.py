"""The console pages of rendering. What has a word where others have a number comes first."""

from pabal.apps.rendering.pages import job, new, queue, statistics, templates, workers
from pabal.platform.web.wings import Wing

router = Wing(include_in_schema=False)
for page in (queue, new, workers, statistics, templates, job):
    router.include_router(page.router)
