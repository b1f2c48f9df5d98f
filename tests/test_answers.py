"""What learners write, by people who had not seen the checks: right passes, wrong is explained.

answers.py in tests/lessons/lessonNN holds blocks. Each begins with a line

    # answer: exercise | right | its style
    # answer: exercise | right, no remark | its style
    # answer: exercise | wrong | the mistake | words that the message must hold

They are judged in this process, as on Windows, which takes a third of the time; some of them in a
child process too.
"""

import contextlib
import linecache
import math
import re

import pytest
import torch

import attn_teach
from attn_lesson import catalogue, judge, platforms
from attn_lesson.judge import child
from tools.lessons import folder, kept, lessons

BLOCK = re.compile(r"^# answer: ", re.MULTILINE)


def influence(attention, queries, tokens):
    """As lesson 03 defines it for its exercise 3.6."""
    before = attention(queries, tokens)
    moved = torch.zeros(len(queries), len(tokens))
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] += torch.linspace(0.5, 1.5, tokens.shape[1])
        moved[:, j] = (attention(queries, changed) - before).abs().amax(-1)
    return moved


def blocks(path):
    """What answers.py of a lesson holds: the parts of each block's first line, and its source."""
    text = (kept(path) / "answers.py").read_text("utf-8")
    for block in BLOCK.split(text)[1:]:
        header, _, source = block.partition("\n")
        yield [part.strip() for part in header.split(" | ")], source


def of_all_lessons():
    """All blocks, for pytest; a lesson without any is the matter of one test alone."""
    for path in lessons():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for number, (about, source) in enumerate(blocks(path), start=1):
                yield pytest.param(about, source, id=f"{folder(path).name}-{number}-{about[0]}")


def learners(name, source):
    """The function as it would stand in a notebook, where all of the lesson is imported."""
    known = {key: getattr(attn_teach, key) for key in attn_teach.__all__}
    namespace = {**known, "torch": torch, "math": math, "F": torch.nn.functional}
    namespace |= {"influence": influence, "__name__": "__main__"}
    file = f"<answer {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]


@pytest.fixture
def without_a_child(monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: False)
    monkeypatch.setattr(child, "in_child", None)


@pytest.mark.parametrize(("about", "source"), list(of_all_lessons()))
def test_an_answer_is_judged_as_a_teacher_would(about, source, without_a_child):
    name, kind, *words = about
    verdict = judge(learners(name, source))
    if kind.startswith("right"):
        assert verdict.status == "right", verdict.message
        assert kind == "right" or not verdict.remark, verdict.message
        return
    assert verdict.status in ("wrong", "untouched")
    assert len(words) == 2, "which words must the message hold?"
    assert words[1].lower() in " ".join(verdict.message.split()).lower(), verdict.message


@pytest.mark.skipif(not platforms.can_fork(), reason="needs a fork")
@pytest.mark.parametrize(("about", "source"), list(of_all_lessons())[::70])
def test_a_child_says_the_same(about, source, request):
    in_child = judge(learners(about[0], source))
    request.getfixturevalue("without_a_child")
    here = judge(learners(about[0], source))
    assert (in_child.status, in_child.message) == (here.status, here.message)


def test_each_folder_of_what_is_kept_is_of_a_lesson():
    there = [place for place in kept("00").parent.iterdir() if place.is_dir()]
    assert set(there) == {kept(path) for path in lessons()}


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_every_exercise_has_answers_of_both_kinds(path):
    kinds = {}
    for (name, kind, *_), _ in blocks(path):
        kinds.setdefault(name, []).append(kind)
    assert set(kinds) == set(catalogue.table(folder(path).name)[0])
    for name, found in kinds.items():
        assert found.count("right") >= 1 and found.count("wrong") >= 2, name
