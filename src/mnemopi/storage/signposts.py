"""Words that a full-text index keeps although no text has them any more.

An index finds a page by the beginning of a word: the shortest that tells the first word of the page from the last of
the page before. When the word is erased, its beginning, which may be all of it, stays as a signpost. The next word that
is still there serves as well: it lies on that page, or before its first word, and after all of the page before
(https://sqlite.org/fts5.html, "FTS5 Data Structures"). Beginnings are bytes: they may end within a character.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from mnemopi.ports import Connection
from mnemopi.storage.queries import Queries


class _Index(NamedTuple):
    """The statements of one index."""

    signposts: str
    next_term: str
    rename: str
    rebuild: str


def rename(connection: Connection, sql: Queries, words: Set[str] | None) -> int:
    """Rename signposts of memories and facts that begin no word any more; return how many.

    `words`: look at their beginnings only.
    """
    spelt = None if words is None else [word.encode() for word in words]
    beginnings = None if spelt is None else {word[:end] for word in spelt for end in range(len(word) + 1)}
    memories = _Index(sql.signposts, sql.next_term, sql.rename_signpost, sql.rebuild_search)
    facts = _Index(sql.fact_signposts, sql.next_fact_term, sql.rename_fact_signpost, sql.rebuild_fact_search)
    with connection.transaction():
        return sum(_renamed(connection, index, beginnings) for index in (memories, facts))


def _renamed(connection: Connection, index: _Index, beginnings: Set[bytes] | None) -> int:
    renamed = 0
    for segment, key, beginning in connection.all(index.signposts):
        if beginnings is not None and beginning not in beginnings:
            continue
        found = connection.all(index.next_term, {"word": beginning})
        following = found[0][0].encode() if found else b""
        if following.startswith(beginning):
            continue
        named = {"segid": segment, "term": key, "word": key[:1] + following}
        if not following or not connection.execute(index.rename, named):
            connection.execute(index.rebuild)
            return renamed + 1
        renamed += 1
    return renamed
