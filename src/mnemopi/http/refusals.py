"""What only this face refuses, in the one tree of errors: who asks, from where, how much, how often and how long.

The client knows them too, so that what comes back from a server is what a caller of the library would have got.
"""

from __future__ import annotations

from mnemopi.errors import ChangedError, MnemopiError, NotFoundError, UsageError


class UnauthorizedError(MnemopiError):
    """No token was given, or one that is not known here."""

    code = "unauthorized"
    exit_code = 2
    http_status = 401


class MisdirectedError(MnemopiError):
    """The request was meant for another host."""

    code = "misdirected"
    http_status = 421


class NoSuchPathError(NotFoundError):
    """Nothing stands at that path."""

    code = "no-such-path"


class NoMemoryError(NotFoundError):
    """There is no such memory in the bank."""

    code = "no-memory"


class MethodError(UsageError):
    """This path does not take that method."""

    code = "method"
    http_status = 405

    def __init__(self, message: str = "", *, hint: str = "", allow: str = "") -> None:
        self.allow = allow
        super().__init__(message, hint=hint)


class MediaTypeError(UsageError):
    """The body is of a kind that is not read here."""

    code = "media-type"
    http_status = 415


class TooLargeError(UsageError):
    """The body is larger than this server takes."""

    code = "too-large"
    http_status = 413


class PreconditionError(ChangedError):
    """It is not the version that If-Match names."""

    code = "precondition"
    http_status = 412


class TooOftenError(MnemopiError):
    """More was asked for than this server allows at a time.

    `retry_after` says in how many seconds to come again.
    """

    code = "too-often"
    exit_code = 6
    http_status = 429

    def __init__(self, message: str = "", *, hint: str = "", retry_after: int = 1) -> None:
        self.retry_after = retry_after
        super().__init__(message, hint=hint)


class TimedOutError(MnemopiError):
    """The answer took longer than this server waits. A write may still be done."""

    code = "timed-out"
    exit_code = 6
    http_status = 504
