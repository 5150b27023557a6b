"""Start a program that outlives whoever starts it."""

import os


def start(command: "list[str]") -> None:
    """Run a program in a session of its own, deaf and mute, as nobody's child: nobody has to wait for its end."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.execv(command[0], command)
    finally:
        os._exit(127)
