"""Workflows for people: steps of the apps in the name of their owner, whose rights are asked when a step runs."""

from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepFailed
from pabal.platform.workflows.actions import Workflows, roles_below
from pabal.platform.workflows.event_signals import CONSUMER
from pabal.platform.workflows.own_steps import OWN_STEPS
from pabal.platform.workflows.questions import AREA, QUESTION, QUESTION_CONTROLS, RUN_CONTROLS, WORKFLOW_QUESTION
from pabal.platform.workflows.steps import Destination, Secret, SliceStep, bind, find_actor, find_owner, make_step_kinds

__all__ = [
    "AREA",
    "CONSUMER",
    "OWN_STEPS",
    "QUESTION",
    "QUESTION_CONTROLS",
    "RUN_CONTROLS",
    "WORKFLOW_QUESTION",
    "AwaitSignal",
    "Destination",
    "Effect",
    "Secret",
    "SliceStep",
    "StepFailed",
    "Workflows",
    "bind",
    "find_actor",
    "find_owner",
    "make_step_kinds",
    "roles_below",
]
