"""python -m chaos.workflows --seconds 45 --seed 1: a run and its report. Ends with 1 on a violation."""

from chaos.survival import main
from chaos.workflows.run import run

if __name__ == "__main__":
    main("workflows", __doc__, run)
