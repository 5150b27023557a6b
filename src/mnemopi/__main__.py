"""The program `mnemopi`, also as `python -m mnemopi`. Commands live in `mnemopi.cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line on the arguments of the process, and exit with its status."""
    try:
        from mnemopi.cli.app import mnemopi  # noqa: PLC0415 -- an interrupt during the import is one, too

        status = mnemopi.run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
