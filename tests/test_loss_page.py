"""The matrix and the examples of `docs/loss.md` are made by running the code. `pytest --accept` writes them."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from loss_examples import EXAMPLES
from ocml_bridge import FindingCode, LossCode, formats, write
from ocml_bridge.checks.capabilities import Feature, Level, capabilities
from ocml_bridge.json_values import jsontext
from ocml_bridge.loss import CLASSES, LossClass
from ocml_bridge.model.codec import to_json
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT

PAGE = Path(__file__).parents[1] / "docs" / "loss.md"
LOSS = Path(__file__).parents[1] / "bridge" / "ocml_bridge" / "loss.py"


def matrix() -> str:
    names = formats()
    lines = ["| | " + " | ".join(f"`{name}`" for name in names) + " |", "| --- |" + " --- |" * len(names)]
    table = [capabilities(adapter(name)[0]) or {} for name in names]
    for feature in Feature:
        levels = [found.get(feature, Level.NO).value for found in table]
        lines.append(f"| {feature.value} | " + " | ".join("" if level == "no" else level for level in levels) + " |")
    return "\n".join(lines)


def example(code: LossCode) -> str:
    document, target = EXAMPLES[code]
    result = write(document, target, policy=LENIENT)
    source = jsontext.dumps(to_json(document)).decode()
    losses = [f"{loss.severity} {loss.code} {loss.path}: {loss.detail}" for loss in result.losses]
    shown = "\n".join([source, f"→ {target}", result.data.decode().rstrip("\n"), "", *losses])
    return f"### `{code}`\n\n```text\n{shown}\n```"


def comments(name: str) -> dict[str, str]:
    """The comment after each member of an enumeration."""
    tree = ast.parse(LOSS.read_text())
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name).body
    out: dict[str, str] = {}
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            out[ast.literal_eval(node.value)] = str(after.value.value)
    return out


def findings() -> str:
    sentences = comments("FindingCode")
    rows = "\n".join(f"| `{code}` | {sentences[code]} |" for code in FindingCode)
    return f"| code | meaning |\n| --- | --- |\n{rows}"


def classes() -> str:
    meanings = comments("LossClass")
    codes = {each: ", ".join(f"`{code}`" for code in LossCode if CLASSES[code] is each) for each in LossClass}
    rows = "\n".join(f"| {each} | {meanings[each]} | {codes[each]} |" for each in LossClass)
    return f"| class | meaning | codes |\n| --- | --- | --- |\n{rows}"


def page() -> str:
    parts = {
        "matrix": matrix(),
        "classes": classes(),
        "examples": "\n\n".join(map(example, LossCode)),
        "findings": findings(),
    }
    text = PAGE.read_text()
    for name, made in parts.items():
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda found, made=made: f"{found[1]}\n{made}\n\n{found[2]}", text, flags=re.S)
    return text


def test_the_page_is_made_by_running_the_code(request: pytest.FixtureRequest) -> None:
    made = page()
    if request.config.getoption("--accept"):
        PAGE.write_text(made)
    assert PAGE.read_text() == made


@pytest.mark.parametrize("code", LossCode)
def test_every_example_shows_its_code(code: LossCode) -> None:
    document, target = EXAMPLES[code]
    assert code in {loss.code for loss in write(document, target, policy=LENIENT).losses}


def test_every_code_has_a_class() -> None:
    assert CLASSES.keys() == set(LossCode)
