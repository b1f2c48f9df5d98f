"""What learners write, by people who had not seen the checks: right passes, wrong is explained.

answers.py in a lesson's folder holds blocks. Each begins with a line

    # answer: exercise | right | its style
    # answer: exercise | wrong | the mistake | words that the message must hold
"""

import linecache
import math
import re

import pytest
import torch

import attn_teach
from attn_lesson import judge
from tools.lessons import folder, lessons

BLOCK = re.compile(r"^# answer: ", re.MULTILINE)


def influence(attention, queries, tokens):
    """As lesson 03 defines it for its exercise 3.6."""
    before = attention(queries, tokens)
    moved = torch.zeros(len(queries), len(tokens))
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] += 1
        moved[:, j] = (attention(queries, changed) - before).abs().amax(-1)
    return moved


def blocks():
    for path in (folder(lesson) / "answers.py" for lesson in lessons()):
        for number, block in enumerate(BLOCK.split(path.read_text("utf-8"))[1:], start=1):
            header, _, source = block.partition("\n")
            name, kind, *about = (part.strip() for part in header.split(" | "))
            yield pytest.param(name, kind, about, source, id=f"{path.parent.name}-{number}-{name}")


def learners(name, source):
    """The function as it would stand in a notebook, where all of the lesson is imported."""
    known = {key: getattr(attn_teach, key) for key in attn_teach.__all__}
    namespace = {**known, "torch": torch, "math": math, "F": torch.nn.functional}
    namespace |= {"influence": influence, "__name__": "__main__"}
    file = f"<answer {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


@pytest.mark.parametrize(("name", "kind", "about", "source"), list(blocks()))
def test_an_answer_is_judged_as_a_teacher_would(name, kind, about, source):
    verdict = judge(learners(name, source))
    if kind == "right":
        assert verdict.status == "right", verdict.message
        return
    assert verdict.status in ("wrong", "untouched")
    assert len(about) == 2, "which words must the message hold?"
    assert about[1].lower() in " ".join(verdict.message.split()).lower(), verdict.message


def test_every_exercise_has_answers_of_both_kinds():
    from attn_lesson.catalogue import tables

    kinds = {}
    for block in blocks():
        name, kind, *_ = block.values
        kinds.setdefault(name, []).append(kind)
    assert set(kinds) == set(tables()[0])
    for name, found in kinds.items():
        assert found.count("right") >= 2 and found.count("wrong") >= 5, name
