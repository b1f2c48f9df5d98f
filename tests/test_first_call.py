"""A learner's first check imports nothing while its clock runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attn_lesson import platforms

CHECKS = """if 1:
    import sys
    from attn_lesson import catalogue
    from attn_lesson.judge import sandbox
    from attn_lesson.judge.bench import bench
    exercises, _ = catalogue.tables()
    known, record = set(sys.modules), sandbox.record

    def recorded(*arguments):
        made = record(*arguments)
        made["printed"] = " ".join(sorted(set(sys.modules) - known))
        return made

    def fails(*case):
        raise ValueError("of a learner")

    sandbox.record = recorded
    for name, exercise in list(exercises.items())[::4]:  # some of each lesson
        plan = bench(exercise).plan
        for function in (exercise.answer, fails):
            records, end = sandbox.run_all(exercise.run, function, plan, exercise.forbidden)
            assert end == "done", name
            for made in records:
                for late in made["printed"].split():
                    print(name, late)
"""


@pytest.mark.skipif(not platforms.can_fork(), reason="needs a fork")
def test_a_check_imports_nothing_while_its_clock_runs():
    command = [sys.executable, "-c", CHECKS]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "MPLBACKEND": "agg"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert not done.stdout
