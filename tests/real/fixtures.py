"""The tools, resources and prompts that the official conformance suite calls by name, set before a server's own.

What it wants of them stands in its scenarios. They are of the test alone: each handler of the real server is asked for
whatever is not found here.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListRootsRequest,
    ListRootsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    SamplingMessage,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
    Tool,
)

Context = ServerRequestContext[Any, Any]
Answer = CallToolResult | InputRequiredResult

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
IMAGE = ImageContent(data=PIXEL, mime_type="image/png")


def said(*parts: Any, failed: bool = False) -> CallToolResult:
    """Answer a call with parts; a string is a text."""
    content = [TextContent(text=part) if isinstance(part, str) else part for part in parts]
    return CallToolResult(content=content, is_error=failed)


def embedded(uri: str, text: str, mime: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, text=text, mime_type=mime))


def form(message: str, /, **properties: Any) -> ElicitRequest:
    """Ask the user for these fields; a type stands for a field of it."""
    fields = {name: {"type": told} if isinstance(told, str) else told for name, told in properties.items()}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(text: str, most: int = 100) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=most))


def filled(responses: Mapping[str, Any] | None, key: str, field: str) -> str | None:
    """Return a field of the user's answer to a form, or None where it was not answered so."""
    answer = (responses or {}).get(key)
    if isinstance(answer, ElicitResult) and answer.action == "accept":
        found = (answer.content or {}).get(field)
        return found if isinstance(found, str) else None
    return None


# -- tools of both eras


async def text(_: Context, __: CallToolRequestParams) -> Answer:
    return said("This is a simple text response for testing.")


async def image(_: Context, __: CallToolRequestParams) -> Answer:
    return said(IMAGE)


async def audio(_: Context, __: CallToolRequestParams) -> Answer:
    return said(AudioContent(data=SILENCE, mime_type="audio/wav"))


async def resource(_: Context, __: CallToolRequestParams) -> Answer:
    return said(embedded("test://embedded-resource", "This is an embedded resource content."))


async def mixed(_: Context, __: CallToolRequestParams) -> Answer:
    data = json.dumps({"test": "data", "value": 123})
    return said(
        "Multiple content types test:", IMAGE, embedded("test://mixed-content-resource", data, "application/json")
    )


async def failing(_: Context, __: CallToolRequestParams) -> Answer:
    return said("This tool intentionally returns an error for testing", failed=True)


async def progressing(context: Context, _: CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return said("progress was told")


async def logging(context: Context, _: CallToolRequestParams) -> Answer:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
        await anyio.sleep(0.05)
    return said("three lines were logged")


# -- tools that ask while they run: the era of the handshake


async def sampled(context: Context, params: CallToolRequestParams) -> Answer:
    prompt = SamplingMessage(role="user", content=TextContent(text=str((params.arguments or {})["prompt"])))
    told = await context.session.create_message([prompt], max_tokens=100, related_request_id=context.request_id)
    return said(f"LLM response: {told.content.model_dump_json()}")


async def elicit(context: Context, request: ElicitRequest, words: str) -> Answer:
    params = request.params
    assert isinstance(params, ElicitRequestFormParams)
    told = await context.session.elicit_form(
        params.message, params.requested_schema, related_request_id=context.request_id
    )
    return said(f"{words}: action={told.action}, content={json.dumps(told.content)}")


async def elicited(context: Context, params: CallToolRequestParams) -> Answer:
    message = str((params.arguments or {})["message"])
    return await elicit(context, form(message, username="string", email="string"), "User response")


async def elicited_with_defaults(context: Context, _: CallToolRequestParams) -> Answer:
    asked = form(
        "Please look through these",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return await elicit(context, asked, "Elicitation completed")


async def elicited_with_choices(context: Context, _: CallToolRequestParams) -> Answer:
    plain = {"type": "string", "enum": ["option1", "option2", "option3"]}
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)
    ]
    asked = form(
        "Please choose",
        untitledSingle=plain,
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti={"type": "array", "items": plain},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return await elicit(context, asked, "Elicitation completed")


# -- tools that answer with what they want to know: the current era

NAME = form("What is your name?", name="string")


async def wants_name(_: Context, params: CallToolRequestParams) -> Answer:
    name = filled(params.input_responses, "user_name", "name")
    return InputRequiredResult(input_requests={"user_name": NAME}) if name is None else said(f"Hello, {name}!")


async def wants_sample(_: Context, params: CallToolRequestParams) -> Answer:
    told = (params.input_responses or {}).get("capital_question")
    if told is None:
        return InputRequiredResult(input_requests={"capital_question": sampling("What is the capital of France?")})
    return said(told.model_dump_json())


async def wants_roots(_: Context, params: CallToolRequestParams) -> Answer:
    told = (params.input_responses or {}).get("client_roots")
    if not isinstance(told, ListRootsResult):
        return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
    return said("roots: " + ", ".join(str(root.uri) for root in told.roots))


async def wants_state(_: Context, params: CallToolRequestParams) -> Answer:
    if not params.input_responses:
        return InputRequiredResult(
            input_requests={"confirm": form("Please confirm", ok="boolean")}, request_state="state of the first round"
        )
    return said("state-ok" if params.request_state == "state of the first round" else "another state", failed=False)


async def wants_all(_: Context, params: CallToolRequestParams) -> Answer:
    asked = {"user_name": NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ListRootsRequest()}
    if set(asked) - set(params.input_responses or {}):
        return InputRequiredResult(input_requests=asked, request_state="all three")
    return said("all three were answered")


async def wants_twice(_: Context, params: CallToolRequestParams) -> Answer:
    colour = filled(params.input_responses, "step2", "color")
    if colour is not None and params.request_state == "second":
        return said(f"{colour} it is")
    if filled(params.input_responses, "step1", "name") is not None and params.request_state == "first":
        asked = form("Step 2: What is your favorite color?", color="string")
        return InputRequiredResult(input_requests={"step2": asked}, request_state="second")
    asked = form("Step 1: What is your name?", name="string")
    return InputRequiredResult(input_requests={"step1": asked}, request_state="first")


async def wants_what_it_may(context: Context, params: CallToolRequestParams) -> Answer:
    able = context.session.client_capabilities
    asked: dict[str, Any] = {}
    if able is not None and able.elicitation is not None:
        asked["user_name"] = NAME
    if able is not None and able.sampling is not None:
        asked["greeting"] = sampling("Generate a greeting", 50)
    return said("answered") if params.input_responses or not asked else InputRequiredResult(input_requests=asked)


async def wants_sampling(context: Context, _: CallToolRequestParams) -> Answer:
    able = context.session.client_capabilities
    if able is None or able.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=needed)
    return said("sampling is there")


Call = Callable[[Context, CallToolRequestParams], Awaitable[Answer]]
TOOLS: Mapping[str, Call] = {
    "test_simple_text": text,
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": resource,
    "test_multiple_content_types": mixed,
    "test_error_handling": failing,
    "test_tool_with_progress": progressing,
    "test_tool_with_logging": logging,
    "test_logging_tool": logging,
    "test_sampling": sampled,
    "test_elicitation": elicited,
    "test_elicitation_sep1034_defaults": elicited_with_defaults,
    "test_elicitation_sep1330_enums": elicited_with_choices,
    "test_streaming_elicitation": wants_name,
    "test_input_required_result_elicitation": wants_name,
    "test_input_required_result_sampling": wants_sample,
    "test_input_required_result_list_roots": wants_roots,
    "test_input_required_result_request_state": wants_state,
    "test_input_required_result_tampered_state": wants_state,
    "test_input_required_result_multiple_inputs": wants_all,
    "test_input_required_result_multi_round": wants_twice,
    "test_input_required_result_capabilities": wants_what_it_may,
    "test_missing_capability": wants_sampling,
}

# -- resources and prompts


def read(uri: str) -> TextResourceContents | BlobResourceContents | None:
    """Return what stands at an address of the suite."""
    if uri == "test://static-text":
        words = "This is the content of the static text resource."
        return TextResourceContents(uri=uri, text=words, mime_type="text/plain")
    if uri == "test://static-binary":
        return BlobResourceContents(uri=uri, blob=PIXEL, mime_type="image/png")
    if uri.startswith("test://template/") and uri.endswith("/data"):
        id = uri.removeprefix("test://template/").removesuffix("/data")
        told = json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})
        return TextResourceContents(uri=uri, text=told, mime_type="application/json")
    return None


def prompt(name: str, given: Mapping[str, str], responses: Mapping[str, Any] | None) -> Any:
    """Fill in a prompt of the suite."""
    parts: list[Any]
    if name == "test_input_required_result_prompt":
        context = filled(responses, "user_context", "context")
        if context is None:
            asked = form("What context should the prompt use?", context="string")
            return InputRequiredResult(input_requests={"user_context": asked})
        parts = [TextContent(text=f"In the context of {context}")]
    elif name == "test_prompt_with_arguments":
        parts = [TextContent(text=f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    elif name == "test_prompt_with_embedded_resource":
        words = "Please process the embedded resource above."
        parts = [embedded(given["resourceUri"], "Embedded resource content for testing."), TextContent(text=words)]
    elif name == "test_prompt_with_image":
        parts = [IMAGE, TextContent(text="Please analyze the image above.")]
    else:
        parts = [TextContent(text="This is a simple prompt for testing.")]
    return GetPromptResult(messages=[PromptMessage(role="user", content=part) for part in parts])


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
RESOURCES = ("test://static-text", "test://static-binary", "test://watched-resource")

# -- in front of a server


def add(server: Server[Any]) -> None:
    """Set the fixtures before the handlers of a server, which answers everything else as it would without them."""

    def before(method: str, params: type[Any], made: Callable[[Any, Context, Any], Awaitable[Any]]) -> None:
        entry = server.get_request_handler(method)
        assert entry is not None, method
        server.add_request_handler(method, params, lambda context, asked: made(entry.handler, context, asked))

    async def tools(own: Any, context: Context, asked: Any) -> ListToolsResult:
        listed = [Tool(name=name, description=name, input_schema={"type": "object"}) for name in TOOLS]
        return ListToolsResult(tools=[*(await own(context, asked)).tools, *listed])

    async def call(own: Any, context: Context, asked: CallToolRequestParams) -> Any:
        return await TOOLS.get(asked.name, own)(context, asked)

    async def resources(own: Any, context: Context, asked: Any) -> ListResourcesResult:
        listed = [Resource(uri=uri, name=uri, description=uri) for uri in RESOURCES]
        return ListResourcesResult(resources=[*(await own(context, asked)).resources, *listed])

    async def templates(own: Any, context: Context, asked: Any) -> ListResourceTemplatesResult:
        listed = ResourceTemplate(uri_template="test://template/{id}/data", name="template", description="A template")
        return ListResourceTemplatesResult(resource_templates=[*(await own(context, asked)).resource_templates, listed])

    async def contents(own: Any, context: Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        found = read(str(asked.uri))
        return await own(context, asked) if found is None else ReadResourceResult(contents=[found])

    async def prompts(own: Any, context: Context, asked: Any) -> ListPromptsResult:
        listed = [
            Prompt(name=name, description=name, arguments=[PromptArgument(name=each, required=True) for each in given])
            for name, given in PROMPTS.items()
        ]
        return ListPromptsResult(prompts=[*(await own(context, asked)).prompts, *listed])

    async def filled_in(own: Any, context: Context, asked: GetPromptRequestParams) -> Any:
        if asked.name not in PROMPTS:
            return await own(context, asked)
        return prompt(asked.name, asked.arguments or {}, asked.input_responses)

    async def level(_: Context, __: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()

    before("tools/list", PaginatedRequestParams, tools)
    before("tools/call", CallToolRequestParams, call)
    before("resources/list", PaginatedRequestParams, resources)
    before("resources/templates/list", PaginatedRequestParams, templates)
    before("resources/read", ReadResourceRequestParams, contents)
    before("prompts/list", PaginatedRequestParams, prompts)
    before("prompts/get", GetPromptRequestParams, filled_in)
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, level)
