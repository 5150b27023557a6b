"""The program `mnemopi`, also as `python -m mnemopi`. Commands live in `mnemopi.cli`."""

from __future__ import annotations

import gc
import sys

_MANY = 50_000
"""Objects between two collections of garbage. Python's own 700 looks through each module again while it is loaded."""


def main() -> None:
    """Run the command line on the arguments of the process, and exit with its status."""
    gc.set_threshold(_MANY)
    try:
        from mnemopi.cli.app import mnemopi  # noqa: PLC0415 -- an interrupt during the import is one, too

        status = mnemopi.run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    gc.freeze()  # the process ends: what is left need not be looked through for garbage
    sys.exit(status)


if __name__ == "__main__":
    main()
