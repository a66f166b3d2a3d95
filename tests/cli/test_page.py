"""The page on the command line shows what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("skops")
pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from cli.command_line import invoke

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"

# What differs from run to run or by the last bits: times, violations and gaps; and what comes after
# the twelfth digit of a number, which depends on the processor.
VARYING = re.compile(r"\d+(\.\d+)? m?s\b|\d\.\de-\d\d|(?<=\d\.\d{12})\d+")


def same(text: str) -> list[str]:
    lines = [VARYING.sub("#", line).rstrip() for line in text.strip().splitlines()]
    return [re.sub(r" +", " ", line) for line in lines]


def test_commands_print_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], {})
    shown = re.findall(r"```console\n\$ weightpath (.*?)\n(.*?)```", page, flags=re.DOTALL)
    assert [command.split()[0] for command, _ in shown] == ["trace", "predict"]
    for command, output in shown:
        answer = invoke(*command.split())
        assert answer.exit_code == 0, answer.output
        assert same(answer.stdout) == same(output)
