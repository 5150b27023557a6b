"""A cross-encoder that a test makes: an ONNX graph without weights, in the form that the real ones have.

It takes `input_ids`, `attention_mask` and `token_type_ids` of question and text read together, and gives one logit for
each pair: how many tokens of the question stand in the text. The few fields of ONNX that this takes are written here,
so that no test needs a package for it.
"""

from __future__ import annotations

from collections.abc import Iterable

INT64, FLOAT = 7, 1
_INT, _INTS = 2, 7


def graph() -> bytes:
    """Return the file of the model."""
    nodes = (
        node("Sub", ("one", "token_type_ids"), "first"),
        node("Mul", ("first", "attention_mask"), "question"),
        node("Mul", ("token_type_ids", "attention_mask"), "text"),
        node("Unsqueeze", ("input_ids", "last"), "down"),
        node("Unsqueeze", ("input_ids", "middle"), "across"),
        node("Equal", ("down", "across"), "equal"),
        node("Cast", ("equal",), "same", attribute("to", INT64)),
        node("Unsqueeze", ("text", "middle"), "of_text"),
        node("Mul", ("same", "of_text"), "met"),
        node("ReduceMax", ("met",), "found", attribute("axes", [2]) + attribute("keepdims", 0)),
        node("Mul", ("found", "question"), "counted"),
        node("Cast", ("counted",), "numbers", attribute("to", FLOAT)),
        node("ReduceSum", ("numbers", "middle"), "logits", attribute("keepdims", 1)),
    )
    inputs = (value(name, INT64, "length") for name in ("input_ids", "attention_mask", "token_type_ids"))
    constants = (tensor("one", 1), tensor("middle", 1), tensor("last", 2))
    whole = b"".join(nodes) + told(2, b"overlap") + b"".join(told(5, each) for each in constants)
    whole += b"".join(told(11, each) for each in inputs) + told(12, value("logits", FLOAT, 1))
    return number(1, 8) + told(8, told(1, b"") + number(2, 13)) + told(7, whole)


def node(kind: str, inputs: Iterable[str], output: str, attributes: bytes = b"") -> bytes:
    """Write one operation of the graph."""
    names = b"".join(told(1, name.encode()) for name in inputs) + told(2, output.encode())
    return told(1, names + told(4, kind.encode()) + attributes)


def attribute(name: str, given: int | list[int]) -> bytes:
    """Write a number, or a list of some, that an operation is set by."""
    head = told(1, name.encode())
    if isinstance(given, int):
        return told(5, head + number(3, given) + number(20, _INT))
    return told(5, head + b"".join(number(8, each) for each in given) + number(20, _INTS))


def tensor(name: str, given: int) -> bytes:
    """Write a constant: a list of one number."""
    return number(1, 1) + number(2, INT64) + number(7, given) + told(8, name.encode())


def value(name: str, kind: int, width: int | str) -> bytes:
    """Write the type and shape of what goes in or comes out: as many rows as there are pairs."""
    second = number(1, width) if isinstance(width, int) else told(2, width.encode())
    shape = told(1, told(2, b"pairs")) + told(1, second)
    return told(1, name.encode()) + told(2, told(1, number(1, kind) + told(2, shape)))


def told(field: int, content: bytes) -> bytes:
    """Write a field of bytes, as protobuf does."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def number(field: int, given: int) -> bytes:
    """Write a field of a number."""
    return varint(field << 3) + varint(given)


def varint(given: int) -> bytes:
    """Write a number in groups of seven bits, the lowest first."""
    written = bytearray()
    while given > 0x7F:
        written.append(given & 0x7F | 0x80)
        given >>= 7
    return bytes([*written, given])
