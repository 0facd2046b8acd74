"""Workflows for people: steps of the apps in the name of their owner, whose rights are asked when a step runs."""

from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepFailed
from pabal.platform.workflows.steps import Destination, Secret, SliceStep, bind, find_owner, make_step_kinds

__all__ = [
    "AwaitSignal",
    "Destination",
    "Effect",
    "Secret",
    "SliceStep",
    "StepFailed",
    "bind",
    "find_owner",
    "make_step_kinds",
]
