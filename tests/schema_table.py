"""What each shape of JSON Schema looks like in TypeScript, as openai-harmony 0.0.8 was seen to write it."""

from __future__ import annotations

from typing import Any

PARAMETERS: dict[str, tuple[Any, str]] = {
    "no parameters": (None, "()"),
    "an empty schema": ({}, "(_: any)"),
    "an object without a list of properties": ({"type": "object"}, "(_: {\n})"),
    "an object with no property": ({"type": "object", "properties": {}}, "(_: {\n})"),
    "properties without a type": ({"properties": {"p": {"type": "string"}}}, "(_: any)"),
    "an object with a description": (
        {"type": "object", "description": "Top", "properties": {"p": {"type": "string"}}},
        "(_: // Top\n{\np?: string,\n})",
    ),
    "additionalProperties false": (
        {"type": "object", "properties": {"p": {"type": "string"}}, "additionalProperties": False},
        "(_: {\np?: string,\n})",
    ),
    "parameters that are a oneOf": (
        {
            "oneOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}},
                {"type": "object", "description": "B", "properties": {"b": {"type": "number"}}},
            ]
        },
        "(_: \n | {\n   a?: string,\n   }\n |    // B\n{\n   b?: number,\n   } // B)",
    ),
    "parameters that are a oneOf with defaults": (
        {
            "oneOf": [
                {"type": "string", "enum": ["a"], "default": "a"},
                {"type": "string", "default": "b", "nullable": True},
            ]
        },
        '(_: \n | "a" // default: "a"\n | string | null // default: "b")',
    ),
    "parameters that are an anyOf": ({"anyOf": [{"type": "object"}]}, "(_: any)"),
    "a reference": (
        {"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": {"type": "string"}}},
        "(_: {\np?: any,\n})",
    ),
    "properties in another order than required": (
        {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}, "required": ["a", "z"]},
        "(_: {\nz: string,\na: string,\n})",
    ),
    "required names a property that is not there": (
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["nope"]},
        "(_: {\na?: string,\n})",
    ),
    "odd names": (
        {
            "type": "object",
            "properties": {
                "a b": {"type": "string"},
                "x-y": {"type": "string"},
                "<|end|>": {"type": "string"},
                "": {"type": "string"},
            },
        },
        "(_: {\na b?: string,\nx-y?: string,\n<|end|>?: string,\n?: string,\n})",
    ),
    "a title of the object": (
        {"type": "object", "title": "Top", "properties": {"p": {"type": "string"}}},
        "(_: {\np?: string,\n})",
    ),
    "parameters that are a string": ({"type": "string"}, "(_: string)"),
}
"""By case: the parameters of a tool, and what is written for them after `type name = `, up to ` => any;`."""

PROPERTIES: dict[str, tuple[Any, str]] = {
    "an optional string": ({"type": "string"}, "p?: string,"),
    "a required string": ({"type": "string"}, "p: string,"),
    "a description": ({"type": "string", "description": "Desc"}, "// Desc\np?: string,"),
    "a description of two lines": ({"type": "string", "description": "L1\nL2"}, "// L1\nL2\np?: string,"),
    "title, description and examples": (
        {"type": "string", "title": "T", "description": "D", "examples": ["e1", 2, "e3"]},
        '// T\n//\n// D\n// Examples:\n// - "e1"\n// - "e3"\np?: string,',
    ),
    "examples that are no strings": ({"type": "number", "examples": [1, 2]}, "// Examples:\np?: number,"),
    "an integer": ({"type": "integer"}, "p?: number,"),
    "a number": ({"type": "number"}, "p?: number,"),
    "a boolean default": ({"type": "boolean", "default": False}, "p?: boolean, // default: false"),
    "bounds of an integer": ({"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2}, "p?: number,"),
    "pattern, format and length of a string": (
        {"type": "string", "pattern": "^a$", "format": "date", "minLength": 1},
        "p?: string,",
    ),
    "a string default": ({"type": "string", "default": "x"}, 'p?: string, // default: "x"'),
    "a quote in a default": ({"type": "string", "default": 'a"b'}, 'p?: string, // default: "a"b"'),
    "a float default": ({"type": "number", "default": 1.0}, "p?: number, // default: 1.0"),
    "a large float default": ({"type": "number", "default": 1e21}, "p?: number, // default: 1e21"),
    "an object default": (
        {"type": "object", "properties": {}, "default": {"b": 1, "a": [1, 2]}},
        'p?: {\n    }, // default: {"b":1,"a":[1,2]}',
    ),
    "null as default": ({"type": "string", "default": None}, "p?: string, // default: null"),
    "a string enum": ({"type": "string", "enum": ["a", "b"]}, 'p?: "a" | "b",'),
    "the default of an enum": ({"type": "string", "enum": ["a", "b"], "default": "a"}, 'p?: "a" | "b", // default: a'),
    "quotes and bars in an enum": ({"type": "string", "enum": ['a"b', "c|d"]}, 'p?: "a"b" | "c|d",'),
    "an enum with other values too": ({"type": "string", "enum": ["a", None, 1]}, 'p?: "a",'),
    "an enum without a type": ({"enum": ["a", "b"]}, "p?: any,"),
    "an integer enum": ({"type": "integer", "enum": [1, 2]}, "p?: number,"),
    "an empty enum": ({"type": "string", "enum": []}, "p?: string,"),
    "a constant": ({"const": "x"}, "p?: any,"),
    "a string constant": ({"type": "string", "const": "x"}, "p?: string,"),
    "a list of types": ({"type": ["string", "integer", "null"]}, "p?: string | number | null,"),
    "a list of types with an enum": ({"type": ["string", "null"], "enum": ["a", None]}, "p?: string | null,"),
    "a list of types with properties": (
        {"type": ["object", "null"], "properties": {"q": {"type": "string"}}},
        "p?: object | null,",
    ),
    "a list of types with items": ({"type": ["array", "null"], "items": {"type": "string"}}, "p?: array | null,"),
    "an empty list of types": ({"type": []}, "p?: any,"),
    "type null": ({"type": "null"}, "p?: any,"),
    "an unknown type": ({"type": "date"}, "p?: any,"),
    "a nullable string": ({"type": "string", "nullable": True}, "p?: string | null,"),
    "a nullable enum with the letters of null in it": (
        {"type": "string", "enum": ["null_a"], "nullable": True},
        'p?: "null_a",',
    ),
    "a nullable object": (
        {"type": "object", "nullable": True, "properties": {"q": {"type": "string"}}},
        "p?: {\n    q?: string,\n    } | null,",
    ),
    "an array without items": ({"type": "array"}, "p?: Array<any>,"),
    "an array of strings": ({"type": "array", "items": {"type": "string"}}, "p?: string[],"),
    "an array of anything": ({"type": "array", "items": {}}, "p?: any[],"),
    "an array of an enum": ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, 'p?: "a" | "b"[],'),
    "an array of a list of types": (
        {"type": "array", "items": {"type": ["string", "number"]}},
        "p?: string | number[],",
    ),
    "an array of objects with a description": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "description": "Item",
                "properties": {"q": {"type": "string", "description": "Q"}},
                "required": ["q"],
            },
        },
        "p?:     // Item\n{\n    // Q\n    q: string,\n    }[],",
    ),
    "an array of arrays": (
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "p?: number[][],",
    ),
    "an array of a oneOf": (
        {"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "number"}]}},
        "p?: \n     | string\n     | number[],",
    ),
    "bounds of an array": (
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
        "p?: string[],",
    ),
    "prefixItems": ({"type": "array", "prefixItems": [{"type": "string"}]}, "p?: Array<any>,"),
    "a list of items": ({"type": "array", "items": [{"type": "string"}]}, "p?: any[],"),
    "items true": ({"type": "array", "items": True}, "p?: any[],"),
    "a nested object with a description": (
        {
            "type": "object",
            "description": "Obj",
            "properties": {
                "q": {"type": "object", "description": "Inner", "properties": {"r": {"type": "number", "default": 1}}}
            },
            "required": ["q"],
        },
        (
            "// Obj\np:     // Obj\n{\n    // Inner\n    q:         // Inner\n{\n"
            "        r?: number, // default: 1\n        },\n    },"
        ),
    ),
    "additionalProperties with a schema": (
        {"type": "object", "additionalProperties": {"type": "string"}},
        "p?: {\n    },",
    ),
    "a property that is a oneOf": ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "p?:\n | string\n | number\n,"),
    "a oneOf with description and default": (
        {
            "description": "PD",
            "default": "z",
            "oneOf": [
                {"type": "string", "description": "V1", "default": "a"},
                {"type": "number", "description": "V2", "nullable": True},
            ],
        },
        '// PD\n// default: "z"\np?:\n | string // default: "a"\n | number | null // V2\n,',
    ),
    "a oneOf described like its first variant": (
        {
            "description": "V1",
            "oneOf": [{"type": "string", "description": "V1"}, {"type": "number", "description": "V2"}],
        },
        "p?:\n | string\n | number // V2\n,",
    ),
    "a oneOf of an object and an enum": (
        {
            "oneOf": [
                {
                    "type": "object",
                    "description": "O",
                    "properties": {"k": {"type": "string", "enum": ["a"], "default": "a"}},
                    "required": ["k"],
                },
                {"type": "string", "enum": ["x"], "default": "x"},
            ]
        },
        'p:\n |    // O\n{\n   k: "a", // default: a\n   } // O\n | "x" // default: x\n,',
    ),
    "an empty oneOf": ({"oneOf": []}, "p?:\n,"),
    "a oneOf that is no list": ({"oneOf": {"type": "string"}}, "p?: any,"),
    "anyOf": (
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "D", "default": None},
        "// D\np?: any, // default: null",
    ),
    "allOf": ({"allOf": [{"type": "object", "properties": {"x": {"type": "string"}}}]}, "p?: any,"),
    "a property that is true": (True, "p?: any,"),
    "deprecated and readOnly": ({"type": "string", "deprecated": True, "readOnly": True}, "p?: string,"),
    "a default inside items": (
        {"type": "array", "items": {"type": "string", "default": "x"}, "default": ["a"]},
        'p?: string[], // default: ["a"]',
    ),
    "a description that is no string": ({"type": "string", "description": 5}, "p?: string,"),
}
"""By case: the schema of the property `p`, and its lines; it is optional unless the lines say otherwise."""
