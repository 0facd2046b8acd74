"""`python -m pabal.cli` is `pabal`."""

from pabal.cli import main

main()
