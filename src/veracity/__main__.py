"""Run the command line with ``python -m veracity``."""

from veracity.cli import main

main()
