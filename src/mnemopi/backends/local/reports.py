"""What the local backend says of itself, as Markdown: counts, states and paths, never content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from mnemopi.backends.local import lessons, places, publish, skills
from mnemopi.backends.local.kit import ATTEMPTS, DOCUMENTS
from mnemopi.backends.local.places import Project
from mnemopi.model.interval import iso
from mnemopi.storage import private
from mnemopi.storage.agent import AgentFile
from mnemopi.storage.jobs import Job

_ALL: Final = 1_000_000
_HOUR_MS: Final = 3_600_000
BY_RULES: Final = "no language model is set: documents are extracts by rules"


def stats(file: AgentFile, project: Project, now: int) -> str:
    """Count what there is of a project."""
    accounts = file.sessions.accounts(project.scope, _ALL)
    methods = Counter(each.method for each in accounts)
    spent = file.spending.since(now - _HOUR_MS)
    sizes = {name: len(private.read(project.root / name) or "") for name in (places.DOCUMENT, places.SUMMARY)}
    lines = [
        f"# Local memory of {project.scope}",
        "",
        *(f"- {name}: {size:,} characters" for name, size in sizes.items()),
        f"- lessons: {len(lessons.of(private.read(project.root / lessons.FILE) or ''))}",
        f"- playbooks: {len(skills.there(project.root))}",
        f"- sessions read: {len(accounts)} ({methods['llm']} by a language model, {methods['rules']} by rules)",
        f"- sessions that the documents do not hold yet: {sum(not each.taken for each in accounts)}",
        f"- language model in the last hour: {spent.calls} calls, {spent.tokens:,} tokens, {spent.refused} refused",
    ]
    return "\n".join(lines)


def queue(jobs: Sequence[Job], now: int) -> str:
    """List what waits to be done."""
    open_ = [job for job in jobs if job.wanted > job.done]
    if not open_:
        return "Nothing waits."
    lines = ["| what | state | attempts | due | error |", "|---|---|---|---|---|"]
    for job in open_:
        due = "now" if job.due_at <= now else iso(job.due_at)
        error = (job.error or "").replace("|", "/").replace("\n", " ")
        what = "documents" if job.kind == DOCUMENTS else f"session {job.key}"
        lines.append(f"| {what} | {job.state(now, ATTEMPTS)} | {job.attempts} of {ATTEMPTS} | {due} | {error} |")
    return "\n".join(lines)


def diagnose(file: AgentFile, project: Project, now: int, has_model: bool) -> str:
    """Say what is wrong."""
    jobs = file.jobs.list(project.scope)
    states = Counter(job.state(now, ATTEMPTS) for job in jobs)
    cleared = file.sessions.cleared_at(project.scope)
    lines = [f"- file of jobs: {file.path}", f"- documents: {project.root}"]
    lines += [f"- jobs {state}: {count}" for state, count in sorted(states.items())]
    lines += [f"- {BY_RULES}"] if not has_model else []
    lines += [f"- cleared on {iso(cleared)}; sessions from before are not read"] if cleared else []
    if publish.is_half_done(project.root):
        lines.append("- a process died while it put documents in place; the next write finishes that")
    lines += [f"- {job.key}: {job.error}" for job in jobs if job.error]
    return "\n".join(lines)
