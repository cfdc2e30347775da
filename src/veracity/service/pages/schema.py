"""The OpenAPI schema of the service as something to read: operations and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

METHODS = ("get", "put", "post", "delete")


def operations_of(schema: Schema) -> list[dict[str, Any]]:
    """Return every operation, in the order of the schema."""
    return [
        _operation(method, path, described[method])
        for path, described in schema["paths"].items()
        for method in METHODS
        if method in described
    ]


def shapes_of(schema: Schema) -> list[dict[str, Any]]:
    """Return every shape that operations take or answer, by name."""
    shapes = schema.get("components", {}).get("schemas", {})
    return [
        {
            "name": name,
            "description": shape.get("description", ""),
            "fields": [_field(key, field) for key, field in shape.get("properties", {}).items()],
        }
        for name, shape in sorted(shapes.items())
    ]


def _operation(method: str, path: str, described: Schema) -> dict[str, Any]:
    return {
        "anchor": f"{method}{path}".replace("/", "-").replace("{", "").replace("}", ""),
        "method": method.upper(),
        "path": path,
        "summary": described.get("summary", ""),
        "description": described.get("description", ""),
        "parameters": [_parameter(each) for each in described.get("parameters", [])],
        "body": _media(described.get("requestBody", {})),
        "answers": [
            {
                "status": status,
                "description": answer.get("description", ""),
                "shapes": [media["name"] for media in _media(answer) if media["name"]],
            }
            for status, answer in described.get("responses", {}).items()
        ],
    }


def _parameter(described: Schema) -> dict[str, Any]:
    schema = described.get("schema", {})
    return {
        "name": described["name"],
        "place": described["in"],
        "required": described.get("required", False),
        "type": type_text(schema),
        "description": described.get("description") or schema.get("description", ""),
    }


def _media(described: Schema) -> list[dict[str, str]]:
    return [
        {"media": media, "name": _linked(content.get("schema", {}))}
        for media, content in described.get("content", {}).items()
    ]


def _field(name: str, schema: Schema) -> dict[str, str]:
    return {
        "name": name,
        "type": type_text(schema),
        "link": _linked(schema),
        "description": schema.get("description", ""),
    }


def type_text(schema: Schema) -> str:
    """Return the type of a schema in a few words.

    >>> type_text({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    'list of string or null'
    >>> type_text({"enum": ["asc", "desc"]})
    'asc, desc'
    """
    if "$ref" in schema:
        return _name(schema)
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if "anyOf" in schema:
        return " or ".join(map(type_text, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {type_text(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))


def _linked(schema: Schema) -> str:
    """Return the first shape that a schema names, or nothing."""
    return next(_names(schema), "")


def _names(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield _name(schema)
    for part in (*schema.get("anyOf", ()), schema.get("items", {})):
        if part:
            yield from _names(part)


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]
