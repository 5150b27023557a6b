"""A language model for the Hindsight server, which reads by rule: `python reading_model.py PORT`.

It speaks as much of OpenAI's protocol as the server needs. Asked for facts it gives each sentence as one; asked to
answer with tools it recalls once and then says what came back; asked for anything else it gives an empty object.
"""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
FACT = {"when": "N/A", "where": "N/A", "who": "N/A", "why": "N/A", "fact_kind": "conversation", "fact_type": "world"}
ID = re.compile(r'"id":\s*"([0-9a-f-]{36})"')
TEXT = re.compile(r'"text":\s*"((?:[^"\\]|\\.)+)"')


def plain(content: Any) -> str:
    """Return a message's content as text."""
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content if isinstance(part, dict))
    return str(content or "")


def facts(prompt: str) -> dict[str, Any]:
    """Return each sentence of the content as a fact, without the marks of a transcript."""
    sentences = (part.strip() for part in SENTENCE.split(prompt.partition("\nContent:\n")[2]))
    told = [part for part in sentences if len(part) > 7 and not re.match(r"\[(role|timestamp|\w+:end)", part)]
    return {"facts": [{"what": part, **FACT, "entities": re.findall(r"\b[A-Z][a-z]{2,}\b", part)[:5]} for part in told]}


def called(messages: list[dict[str, Any]], tools: list[str], choice: Any) -> dict[str, Any]:
    """Return the tool to call: the one that is demanded, a recall first, the answer then."""
    heard = "\n".join(plain(message["content"]) for message in messages if message["role"] == "tool")
    before = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()]
    name = choice["function"]["name"] if isinstance(choice, dict) else "done" if "recall" in before else "recall"
    if name not in tools:
        name = tools[0]
    question = next((plain(each["content"]) for each in reversed(messages) if each["role"] == "user"), "")
    said = {"answer": " ".join(dict.fromkeys(TEXT.findall(heard)))[:1000] or "Nothing is known.", "memory_ids": []}
    said["memory_ids"] = list(dict.fromkeys(ID.findall(heard)))[:10]
    arguments = said if name == "done" else {"reason": "to answer", "query": question[:200]}
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the choice that answers a request."""
    messages = asked.get("messages", [])
    tools = [tool["function"]["name"] for tool in asked.get("tools") or []]
    if tools:
        call = called(messages, tools, asked.get("tool_choice"))
        return {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
    prompt = next((plain(each["content"]) for each in reversed(messages) if each["role"] == "user"), "")
    text = json.dumps(facts(prompt) if "\nContent:\n" in prompt else {"creates": [], "updates": [], "deletes": []})
    return {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """List the one model."""
        self._send({"object": "list", "data": [{"id": "rules", "object": "model"}]})

    def do_POST(self) -> None:
        """Answer a chat."""
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        made = {"id": "1", "object": "chat.completion", "created": 0, "model": "rules", "usage": usage}
        self._send(made | {"choices": [answer(asked)]})

    def _send(self, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
