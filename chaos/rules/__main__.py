"""python -m chaos.rules --seconds 45 --seed 1: a run and its report. Ends with 1 on a violation."""

from chaos.rules.run import run
from chaos.survival import main

if __name__ == "__main__":
    main("rules", __doc__, run)
