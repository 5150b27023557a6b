"""The log of a process that nobody looks at."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

CODE = """
import logging, os, sys
from pathlib import Path
from mnemopi.daemon import log
log._LARGEST = 2000
log.to_file(Path(sys.argv[1]))
for number in range(100):
    logging.getLogger("mnemopi.daemon").info("entry %d", number)
    if number % 10 == 0:
        os.write(1, b"printed %d\\n" % number)
        os.write(2, b"complained %d\\n" % number)
logging.getLogger("noisy.dependency").info("not to be seen")
"""


def test_it_is_private_turned_in_time_and_takes_what_is_printed(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    files = sorted(tmp_path.glob("daemon.log*"))
    assert [file.name for file in files] == ["daemon.log", "daemon.log.1", "daemon.log.2"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert all(file.stat().st_size < 4000 for file in files)
    newest = files[0].read_text()
    assert "entry 99" in newest
    assert "printed 90" in newest or "printed 90" in files[1].read_text()
    assert "not to be seen" not in newest
