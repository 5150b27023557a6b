"""A language model of the test's own, for hosts that want one: `python model.py LOG`; it says its port, then serves.

It speaks the Messages API of Anthropic and the Responses API of OpenAI, as streams. It does as it is told: where the
last message of the user holds a line `{"call": "recall", "arguments": {...}}`, it calls the tool whose name ends so;
when the result is there, it repeats that, and without such a line it says "nothing to do". Each request goes to LOG, a
JSON document a line, without its headers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

NUMBERS = count(1)


def words(content: Any) -> str:
    """Return the text of a message, of whatever parts it is made."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or words(part.get("content") or "") for part in content if isinstance(part, dict))


def order(text: str) -> dict[str, Any] | None:
    """Return the call that a text orders, if any."""
    for line in text.splitlines():
        if line.strip().startswith('{"call"'):
            return dict(json.loads(line))
    return None


class Anthropic:
    """The Messages API."""

    def events(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Answer a request, as the events of its stream."""
        block = self.block(body)
        message = {"id": f"msg_{next(NUMBERS)}", "type": "message", "role": "assistant", "model": body.get("model")}
        usage = {"input_tokens": 10, "output_tokens": 10}
        yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None, "usage": usage}}
        if block["type"] == "text":
            begun, rest = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            begun = block | {"input": {}}
            rest = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": 0, "content_block": begun}
        yield {"type": "content_block_delta", "index": 0, "delta": rest}
        yield {"type": "content_block_stop", "index": 0}
        stop = "end_turn" if block["type"] == "text" else "tool_use"
        yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
        yield {"type": "message_stop"}

    def block(self, body: dict[str, Any]) -> dict[str, Any]:
        """Say or call something: the one block of the answer."""
        last = [message for message in body["messages"] if message["role"] == "user"][-1]["content"]
        results = [part for part in last if isinstance(part, dict) and part.get("type") == "tool_result"]
        if results:
            return {"type": "text", "text": f"The tool said: {words(results[-1].get('content') or '')}"}
        wanted = order(words(last))
        for tool in body.get("tools", []) if wanted else []:
            if wanted and tool["name"].endswith(wanted["call"]):
                id = f"toolu_{next(NUMBERS)}"
                return {"type": "tool_use", "id": id, "name": tool["name"], "input": wanted["arguments"]}
        return {"type": "text", "text": f"there is no tool {wanted['call']}" if wanted else "nothing to do"}


class OpenAI:
    """The Responses API; tools may stand in namespaces."""

    def events(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Answer a request, as the events of its stream."""
        item, usage = self.item(body), {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
        response = {"id": f"resp_{next(NUMBERS)}", "object": "response", "model": body.get("model"), "output": []}
        yield {"type": "response.created", "response": response | {"status": "in_progress"}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        done = {"status": "completed", "output": [item], "usage": usage}
        yield {"type": "response.completed", "response": response | done}

    def item(self, body: dict[str, Any]) -> dict[str, Any]:
        """Say or call something: the one item of the answer."""
        last = [each for each in body["input"] if each.get("role") == "user" or "output" in each][-1]
        if "output" in last:
            return self.said(f"The tool said: {words(last['output'])}")
        wanted = order(words(last["content"]))
        for space, name in self.tools(body) if wanted else ():
            if wanted and name.endswith(wanted["call"]):
                number = next(NUMBERS)
                call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
                call |= {"arguments": json.dumps(wanted["arguments"]), "status": "completed"}
                return call | ({"namespace": space} if space else {})
        return self.said(f"there is no tool {wanted['call']}" if wanted else "nothing to do")

    def tools(self, body: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the namespace and the name of each tool."""
        for tool in body.get("tools", []):
            if tool["type"] == "namespace":
                yield from ((tool["name"], each["name"]) for each in tool["tools"])
            elif "name" in tool:
                yield "", tool["name"]

    def said(self, text: str) -> dict[str, Any]:
        """Return a message."""
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
        return message | {"id": f"msg_{next(NUMBERS)}"}


SPOKEN = {"/v1/messages": Anthropic(), "/v1/responses": OpenAI()}


class Handler(BaseHTTPRequestHandler):
    """One request of a host."""

    log = Path()

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        """Be there."""
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        """List no models: hosts go on with the one that they were told."""
        self.answer("application/json", b'{"data": [], "models": []}')

    def do_POST(self) -> None:
        """Answer as the path says."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        with self.log.open("a") as log:
            log.write(json.dumps({"path": path, "body": body}) + "\n")
        if path not in SPOKEN:
            self.answer("application/json", b'{"input_tokens": 10}')
            return
        events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in SPOKEN[path].events(body))
        self.answer("text/event-stream", "".join(events).encode())

    def answer(self, kind: str, body: bytes) -> None:
        """Send an answer whole."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    Handler.log = Path(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()
