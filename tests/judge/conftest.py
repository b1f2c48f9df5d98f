"""Fixtures of the judge's tests."""

import sys
import threading

import pytest
from judged import exercise

from attn_lesson import platforms
from attn_lesson.judge import child
from attn_lesson.judge.verdict import judge as judge_exercise


@pytest.fixture
def told():
    """Judge a function as an answer to the small exercise."""

    def judged(function, seed=0, **options):
        function.__name__ = "my_average"
        return judge_exercise(exercise(**options), function, seed)

    return judged


@pytest.fixture(params=[True, False], ids=["forks", "does not fork"])
def either_way(request, monkeypatch):
    """With a child process and without."""
    monkeypatch.setattr(platforms, "can_fork", lambda: request.param)


@pytest.fixture
def no_child(monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: False)
    monkeypatch.setattr(child, "PATIENCE", 10**4)
    threads = threading.active_count()
    yield
    assert threading.active_count() == threads and sys.getprofile() is None
