"""One tree of errors for every face.

MnemopiError
├── UsageError (ValueError)           bad input: unknown argument, unusable value, too long
├── NotFoundError (LookupError)       no such memory, bank, backup or session
├── ConflictError                     what is there does not allow it
│   ├── ExistsError                       the name is taken
│   ├── ChangedError                      somebody else wrote a newer version
│   ├── ReadOnlyError                     the store or the folder does not take writes
│   └── InUseError                        another process has the bank open
├── ForbiddenError                    whoever asks may not do this
├── ConfigError                       a setting holds an unusable value
├── MissingExtraError (ImportError)   an optional dependency is not installed
├── StorageError                      the file or the disk
│   ├── BusyError                         another writer held the lock for too long
│   ├── CorruptError                      the file is damaged, or is no database
│   ├── TooNewError                       a newer mnemopi wrote the file
│   ├── ForeignError                      a database of another program: never written
│   └── FullError                         no space left
├── ProviderError                     an embedder, reranker or LLM
│   ├── UnavailableError                  it did not answer, or is not there
│   └── RefusedError                      it answered that it will not
│       └── BudgetError                       it was not asked: what may be spent in an hour is spent
└── DaemonError                       the resident process
    └── OutcomeUnknownError               it ended during a call: nobody knows whether that took effect

Each class has a kebab-case `code` for programs, an `exit_code` for the command line and an `http_status`;
each error has a message and, where there is something to do, a `hint` for people. The cause is kept (`raise ... from`).
"""

from __future__ import annotations

from typing import Any, ClassVar


class MnemopiError(Exception):
    """Something went wrong in mnemopi."""

    code: ClassVar[str] = "mnemopi-error"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.hint = hint
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def as_dict(self) -> dict[str, Any]:
        """Render the error for programs: code, message and hint."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(MnemopiError, ValueError):
    """The input cannot be used."""

    code = "usage"
    exit_code = 2
    http_status = 422


class NotFoundError(MnemopiError, LookupError):
    """There is nothing by that name."""

    code = "not-found"
    exit_code = 3
    http_status = 404


class ConflictError(MnemopiError):
    """What is stored does not allow this."""

    code = "conflict"
    exit_code = 4
    http_status = 409


class ExistsError(ConflictError):
    """There is one by that name already."""

    code = "exists"


class ChangedError(ConflictError):
    """It was changed since you read it."""

    code = "changed"


class ReadOnlyError(ConflictError):
    """This cannot be written to."""

    code = "read-only"


class InUseError(ConflictError):
    """Another process has it open."""

    code = "in-use"


class ForbiddenError(MnemopiError):
    """The token, or the page that asks, may not do this."""

    code = "forbidden"
    exit_code = 4
    http_status = 403


class ConfigError(MnemopiError):
    """A setting holds a value that cannot be used."""

    code = "config"
    exit_code = 2

    def __init__(self, setting: str, value: object, origin: str, why: str, *, hint: str = "") -> None:
        self.setting, self.value, self.origin = setting, value, origin
        super().__init__(f"{setting} = {value!r} (from {origin}): {why}", hint=hint)


class MissingExtraError(MnemopiError, ImportError):
    """An optional dependency is not installed."""

    code = "missing-extra"
    exit_code = 5
    http_status = 501


class StorageError(MnemopiError):
    """The store failed."""

    code = "storage"
    exit_code = 6
    http_status = 503


class BusyError(StorageError):
    """Another process kept the store locked for too long."""

    code = "busy"


class CorruptError(StorageError):
    """The file is damaged, or is not a database."""

    code = "corrupt"


class TooNewError(StorageError):
    """The file was written by a newer version of mnemopi."""

    code = "too-new"


class ForeignError(StorageError):
    """The file is a database of another program."""

    code = "foreign"


class FullError(StorageError):
    """There is no space left on the disk."""

    code = "full"


class ProviderError(MnemopiError):
    """A provider failed."""

    code = "provider"
    exit_code = 7
    http_status = 502


class UnavailableError(ProviderError):
    """A provider cannot be reached."""

    code = "unavailable"


class RefusedError(ProviderError):
    """A provider refused the request; `status` is what an HTTP server answered, 0 where none did."""

    code = "refused"

    def __init__(self, message: str = "", *, hint: str = "", status: int = 0) -> None:
        self.status = status
        super().__init__(message, hint=hint)


class BudgetError(RefusedError):
    """What may be spent in an hour is spent."""

    code = "budget"


class DaemonError(MnemopiError):
    """The resident process cannot do this."""

    code = "daemon"
    exit_code = 8
    http_status = 503


class OutcomeUnknownError(DaemonError):
    """The resident process ended during this call: whether it took effect is not known."""

    code = "outcome-unknown"


def no_memory(id: str, bank: str) -> NotFoundError:
    """Make the error of an id that no memory has, or none that the caller may see."""
    return NotFoundError(f"there is no memory {id[:100]!r} in bank {bank!r}", hint="`recall` shows ids")


def warn(message: str, *arguments: object) -> None:
    """Tell the log `mnemopi` of a failure that was survived, in the manner of `logging`."""
    import logging  # noqa: PLC0415 -- a program that goes well needs none

    logging.getLogger("mnemopi").warning(message, *arguments)
