"""Workflows for people: steps of the apps in the name of their owner, whose rights are asked when a step runs."""

from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepFailed
from pabal.platform.workflows.actions import Workflows, roles_below
from pabal.platform.workflows.event_signals import CONSUMER
from pabal.platform.workflows.event_starts import STARTER, EventStart, list_starts
from pabal.platform.workflows.own_steps import OWN_STEPS
from pabal.platform.workflows.questions import AREA, QUESTION_CONTROLS, QUESTIONS, RUN_CONTROLS, WORKFLOW_QUESTION
from pabal.platform.workflows.retention import KEEP_RUNS, CleanedRuns, RunCleaning, find_cleaned
from pabal.platform.workflows.starting import StartFor, find_depth_behind, find_workflow_for, show_input, start_for
from pabal.platform.workflows.steps import Destination, Secret, SliceStep, bind, find_owner, make_step_kinds

__all__ = [
    "AREA",
    "CONSUMER",
    "KEEP_RUNS",
    "OWN_STEPS",
    "QUESTIONS",
    "QUESTION_CONTROLS",
    "RUN_CONTROLS",
    "STARTER",
    "WORKFLOW_QUESTION",
    "AwaitSignal",
    "CleanedRuns",
    "Destination",
    "Effect",
    "EventStart",
    "RunCleaning",
    "Secret",
    "SliceStep",
    "StartFor",
    "StepFailed",
    "Workflows",
    "bind",
    "find_cleaned",
    "find_depth_behind",
    "find_owner",
    "find_workflow_for",
    "list_starts",
    "make_step_kinds",
    "roles_below",
    "show_input",
    "start_for",
]
