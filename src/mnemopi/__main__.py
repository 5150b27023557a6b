"""The program `mnemopi`, also as `python -m mnemopi`. Commands live in `mnemopi.cli`."""

from __future__ import annotations

import gc
import sys

from mnemopi.daemon import shim

_MANY = 50_000
"""Objects between two collections of garbage. Python's own 700 looks through each module again while it is loaded."""


def main() -> None:
    """Run the command line on the arguments of the process, and exit with its status.

    Where a resident process runs, it is asked before the command line is even imported.
    """
    gc.set_threshold(_MANY)
    try:
        status = shim.attempt(sys.argv[1:])
        if status is None:
            from mnemopi.cli.app import mnemopi  # noqa: PLC0415 -- an interrupt during the import is one, too

            status = mnemopi.run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    except Exception as error:  # noqa: BLE001 -- what the shim raises is shown as what a command raises
        from mnemopi.cli import failures  # noqa: PLC0415

        status = failures.show(error, sys.argv[1:])
    gc.freeze()  # the process ends: what is left need not be looked through for garbage
    sys.exit(status)


if __name__ == "__main__":
    main()
