"""Judge the judges: which wrong attentions does each let pass, and which mistakes does it name?

    python -m tools.checks.judges [FOLDER ...]

FOLDER, if none is named each of tests/judges, holds answers, one to a file, by authors who had seen
no judge: causal/ and heads/ wrong ones, causal_right/ and heads_right/ right ones. The first line
of a wrong one says the mistake, and the second by which words it would be named (a regular
expression). Each judge gets the answers under the name and the arguments that its own task asks
for. What is not wrong by its task (a mask, where the task has none) is not asked of it. What each
says is written to FOLDER/judged.csv. The other judges come with `make test`.
"""

import csv
import math
import re
import runpy
import sys
from importlib import metadata
from pathlib import Path

import torch
from torch import nn

from attn_lesson.catalogue import tables
from attn_lesson.judge import verdict
from attn_teach import attend, causal_mask, dot_product_scores
from tools.lessons import ROOT

FOLDER = ROOT / "tests" / "judges"
PASSES, NOT_ASKED = "passes", "is not asked"
FIRST = "attn_lesson at first"  # before these answers had mended it: kept as it was
TASKS = {"causal": "causal attention", "heads": "multi-head attention"}


def answer(path):
    """The function that a file defines."""
    defined = runpy.run_path(str(path))
    return defined.get("causal_attention") or defined["multi_head_attention"]


# What is right


def causal_attention(Q, K, V):
    return attend(dot_product_scores(Q, K), V, causal_mask(Q.shape[1]))[0]


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q, k, v = (
        (x @ W).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        for x, W in ((queries, W_q), (keys, W_k), (values, W_v))
    )
    return attend(dot_product_scores(q, k), v, mask)[0].transpose(1, 2).flatten(2) @ W_o


def is_wrong(function, task, masks=True, crosses=True):
    """Whether an answer is wrong somewhere: without masks, or with one text alone, if so asked."""
    torch.manual_seed(0)
    for batch, n, times in ((1, 4, 1), (3, 5, 1), (2, 6, 20), (2, 6, 100), (2, 200, 1), (1, 4, 0)):
        X, Y, Z = torch.randn(3, batch, n, 8)
        if task == "causal":
            given, right = (times * X, times * Y, Z), causal_attention
        else:
            others = (Y, Z) if crosses else (times * X, times * X)
            mask = torch.rand(n, n).fill_diagonal_(1) > 0.4 if masks else None
            given = times * X, *others, *torch.randn(4, 8, 8), 2, mask
            right = multi_head_attention
        made, expected = function(*given), right(*given)
        if not torch.allclose(made, expected, 1e-3, 1e-3):
            return True
    return False


# The judges: each says of an answer what is wrong with it, or nothing


class TorchJudge:
    """Tests of a task in notebooks (TorchCode)."""

    name, asks = "torch-judge", {"causal": {}, "heads": {"masks": False}}

    def says(self, task, function):
        from torch_judge.tasks import get_task

        asked = get_task({"causal": "causal_attention", "heads": "mha"}[task])
        name, said = asked["function_name"], []
        given = function if task == "causal" else self.layer(function)
        for test in asked["tests"]:
            torch.manual_seed(0)
            try:
                exec(test["code"].replace("{fn}", name), {name: given})  # as its check does
            except Exception as error:
                said.append(f"{test['name']}: {error}")
        return "; ".join(said)

    @staticmethod
    def layer(function):
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.num_heads = num_heads
                for letter in "qkvo":
                    setattr(self, f"W_{letter}", nn.Linear(d_model, d_model, bias=False))

            def forward(self, Q, K, V):
                layers = self.W_q, self.W_k, self.W_v, self.W_o
                return function(Q, K, V, *(each.weight.T for each in layers), self.num_heads)

        return MultiHeadAttention


class TorchLeet:
    """Properties of an answer; its matrices are the answer's own."""

    name, asks = "torchleet", {"heads": {}}

    def says(self, task, function):
        from torchleet import runner

        def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
            matrices = torch.randn(4, d_model, d_model) / math.sqrt(d_model)
            return function(q, k, v, *matrices, num_heads, mask)

        found = runner.run("multi-head-attention", {"multi_head_attention": multi_head_attention})
        return "; ".join(f"{name}: {told}" for name, status, told in found if status == runner.FAIL)


class Ours:
    """`check`, on an exercise of lesson 05 and one of 04, which asks for one text and no mask."""

    name, asks = "attn_lesson", {"causal": {}, "heads": {"masks": False, "crosses": False}}

    def says(self, task, function):
        def my_causal_self_attention(X, W_q, W_k, W_v):
            return function(X @ W_q, X @ W_k, X @ W_v)

        def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
            return function(X, X, X, W_q.T, W_k.T, W_v.T, W_o.T, num_heads)

        asked = {"causal": my_causal_self_attention, "heads": my_multi_head}[task]
        found = verdict.judge(tables()[0][asked.__name__], asked)
        return "" if found.status == "right" else found.message.partition("\n  input")[0]


JUDGES = (TorchJudge(), TorchLeet(), Ours())
OWN = {FIRST: "`check` when it met them", "attn_lesson": "`check`, mended since"}


def rows(folder):
    """A row for each answer: its task, file and mistake, and what each judge says of it."""
    for task in TASKS:
        for path in sorted([*folder.glob(f"{task}/*.py"), *folder.glob(f"{task}_right/*.py")]):
            function, first = answer(path), path.read_text("utf-8").splitlines()
            wrong = path.parent.name == task
            row = {"task": task, "answer": path.stem, "mistake": first[0].lstrip("# ") * wrong,
                   "named by": first[1].partition(": ")[2] * wrong}  # fmt: skip
            for judge in JUDGES:
                asks = judge.asks.get(task)
                if asks is None or (wrong and not is_wrong(function, task, **asks)):
                    row[judge.name] = NOT_ASKED
                else:
                    row[judge.name] = " ".join(judge.says(task, function).split()) or PASSES
            yield row


def stored(folder):
    """The rows of a folder's judged.csv, by task and answer; none, if there is no such file."""
    file = folder / "judged.csv"
    lines = file.read_text("utf-8").split("\n") if file.exists() else []
    return {(row["task"], row["answer"]): row for row in csv.DictReader(lines)}


def counted(rows, task, judge):
    """Of one judge and task: wrong answers asked, passed and named; right ones asked, refused."""
    asked = [row for row in rows if row["task"] == task and row[judge] != NOT_ASKED]
    wrong = [row for row in asked if row["mistake"]]
    passed = [row for row in wrong if row[judge] == PASSES]
    named = [
        row for row in wrong if row not in passed and re.search(row["named by"], row[judge], re.I)
    ]
    right = [row for row in asked if not row["mistake"]]
    refused = [row for row in right if row[judge] != PASSES]
    return len(wrong), len(passed), len(named), len(right), len(refused)


def table(rows):
    """The counts as a table in Markdown, as it stands in README.md."""
    lines = ["| | wrong by its task | let pass | refused | and named | right ones refused |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for task, told in TASKS.items():
        others = [judge.name for judge in JUDGES if task in judge.asks and judge.name not in OWN]
        for name in (*others, *OWN):
            wrong, passed, named, right, refused = counted(rows, task, name)
            who = OWN.get(name) or f"{name} {metadata.version(name)}"
            cells = wrong, passed, wrong - passed, named, f"{refused} of {right}"
            lines.append(f"| {told}, {who} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main(arguments=None):
    given = sys.argv[1:] if arguments is None else arguments
    for folder in map(Path, given or sorted(filter(Path.is_dir, FOLDER.iterdir()))):
        made, before = list(rows(folder)), stored(folder)
        for row in made:
            known = before.get((row["task"], row["answer"]), {})
            row[FIRST] = known.get(FIRST, row["attn_lesson"])
        with (folder / "judged.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, made[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(made)
        print(folder.name, table(made), sep="\n\n", end="\n\n")


if __name__ == "__main__":
    main()
