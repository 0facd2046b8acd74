"""python -m chaos.rendering --seconds 45 --seed 1: a run and its report. Ends with 1 on a violation."""

from chaos.rendering.run import run
from chaos.survival import main

if __name__ == "__main__":
    main("rendering", __doc__, run)
