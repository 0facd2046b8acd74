"""Workflows, their runs, and what a step may do."""

from pabal.api.parts import noun
from pabal.platform.web.rest import rest
from pabal.resources.workflows import STEP_KIND, WORKFLOW, WORKFLOW_RUN

router = noun("workflows")
rest(router, WORKFLOW)
rest(router, WORKFLOW_RUN)
rest(router, STEP_KIND)
