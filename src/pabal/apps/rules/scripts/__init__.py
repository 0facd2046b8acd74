"""Runs the scripts of a user's repository, contained. What the rest of the app may use is named here."""

from pabal.apps.rules.scripts.check import Trial, begin_repository, check_repository, try_script
from pabal.apps.rules.scripts.environments import lock_script, prepare_environment
from pabal.apps.rules.scripts.errors import KO, REASONS, ScriptUnusable
from pabal.apps.rules.scripts.inspecting import inspect_script
from pabal.apps.rules.scripts.isolation import probe_isolation
from pabal.apps.rules.scripts.judging import refuse
from pabal.apps.rules.scripts.model import (
    Allows,
    ArtifactFile,
    Containment,
    Environment,
    Isolation,
    Limits,
    Mistake,
    ScriptInfo,
    ScriptReason,
    ScriptResult,
    ScriptRun,
)
from pabal.apps.rules.scripts.repository import fetch_commit
from pabal.apps.rules.scripts.running import forget_run, run_script
from pabal.apps.rules.scripts.tidying import tidy_cache

__all__ = [
    "KO",
    "REASONS",
    "Allows",
    "ArtifactFile",
    "Containment",
    "Environment",
    "Isolation",
    "Limits",
    "Mistake",
    "ScriptInfo",
    "ScriptReason",
    "ScriptResult",
    "ScriptRun",
    "ScriptUnusable",
    "Trial",
    "begin_repository",
    "check_repository",
    "fetch_commit",
    "forget_run",
    "inspect_script",
    "lock_script",
    "prepare_environment",
    "probe_isolation",
    "refuse",
    "run_script",
    "tidy_cache",
    "try_script",
]
