"""The small ways in which the engine is sabotaged, each with the test, or the line of a short run, that must see it."""

from chaos.sabotage.ends import ENDS
from chaos.sabotage.fences import FENCES
from chaos.sabotage.following import FOLLOWING
from chaos.sabotage.head_starts import AT_ONCE, HEAD_STARTS
from chaos.sabotage.in_a_run import IN_A_RUN
from chaos.sabotage.lanes import LANES, RETURNS
from chaos.sabotage.locks import LOCKS
from chaos.sabotage.long_work import LONG_WORK
from chaos.sabotage.mutant import Mutant as Mutant
from chaos.sabotage.workflows import WORKFLOWS

MUTANTS = (
    *IN_A_RUN,
    *LOCKS,
    *LANES,
    *RETURNS,
    *FENCES,
    *LONG_WORK,
    *FOLLOWING,
    *HEAD_STARTS,
    *AT_ONCE,
    *ENDS,
    *WORKFLOWS,
)
