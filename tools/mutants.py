# ruff: noqa: E501
"""Plant faults in attn_teach, one at a time, and see which ones the tests and lessons catch.

Each fault is one replacement in one file. It is planted in a copy of the project below
build/, where the module's tests and then the lessons that use it (nbval) run. A fault that
nothing catches is a survivor: a check is missing, or the change makes no difference.
"""

import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LESSONS = {  # the lesson that shows what a module computes
    "kernels": "01",
    "scoring": "02",
    "masking": "03",
    "attention": "03",
    "multihead": "04",
    "self_attention": "05",
    "positional": "06",
    "plotting": "03",
    "parameters": "01",
}

# module, what stands there, what is planted instead, what is wrong with it
FAULTS = [
    ("kernels", "-(u**2) / 2)\n\n\ndef boxcar", "(u**2) / 2)\n\n\ndef boxcar", "Gaussian grows"),
    ("kernels", "u.abs() <= 1", "u <= 1", "boxcar reaches everything on one side"),
    ("kernels", "return (1 - u.abs())", "return (1 - u)", "triangular kernel without the absolute"),
    ("kernels", "return (1 - u**2)", "return (1 - u.abs())", "Epanechnikov is triangular"),
    ("kernels", "u = distances / bandwidth", "u = distances * bandwidth", "bandwidth inverted"),
    ("kernels", "masked_softmax(-(u**2) / 2, mask", "masked_softmax(-(u**2), mask", "forgotten half"),
    ("kernels", "total.masked_fill(total == 0, 1)", "total", "0 / 0 out of reach"),
    ("kernels", "masked_fill(~mask, 0)\n    total", "masked_fill(mask, 0)\n    total", "wrong left out"),
    ("kernels", "~torch.eye(n,", "torch.eye(n,", "leaves all others out"),
    ("kernels", "kernel, others) @ y).square()", "kernel) @ y).square()", "predicts from itself"),
    ("kernels", ".square().mean()", ".abs().mean()", "absolute, not squared error"),
    ("kernels", "- keys) * self.w) ** 2", "- keys) / self.w) ** 2", "w divides"),
    ("kernels", "return weights @ values, weights", "return weights.T @ values, weights", "transposed"),
    ("scoring", "keys.square().sum(-1).unsqueeze(-2) / 2", "keys.square().sum(-1).unsqueeze(-2)", "half"),
    ("scoring", "- half_norms_q - half_norms_k", "- half_norms_q + half_norms_k", "a sign"),
    ("scoring", ".clamp(max=0)", "", "squared distances below zero"),
    ("scoring", "math.sqrt(queries.shape[-1])", "queries.shape[-1]", "divided by d, not its root"),
    ("scoring", "math.sqrt(queries.shape[-1])", "math.sqrt(keys.shape[-2])", "scaled by the keys' number"),
    ("scoring", "if scaled else scores", "if not scaled else scores", "scale inverted"),
    ("scoring", "self.w_v(hidden.tanh())", "self.w_v(hidden)", "additive without tanh"),
    ("scoring", "self.W_q(queries).unsqueeze(-2) + ", "", "the query has no say"),
    ("scoring", "queries @ self.W(keys).transpose", "queries @ self.W(keys).abs().transpose", "no sign"),
    ("masking", "device=valid_lens.device) < valid", "device=valid_lens.device) <= valid", "off by one"),
    ("masking", "device=device).tril()", "device=device).triu()", "causal mask inverted"),
    ("masking", "device=device).tril()", "device=device).tril(-1)", "a token cannot see itself"),
    ("masking", "device=X.device) >= valid_len", "device=X.device) > valid_len", "off by one"),
    ("masking", "return X.masked_fill(", "return X.masked_fill_(", "writes into its input"),
    ("masking", "scores.masked_fill(~allowed, -torch.inf)", "scores.masked_fill(~allowed, 0)", "fill 0"),
    ("masking", "scores.masked_fill(~allowed, -torch.inf)", "scores.masked_fill(~allowed, -1e6)", "-1e6"),
    ("masking", "scores.masked_fill(~allowed, -torch.inf)", "scores.masked_fill(allowed, -torch.inf)", "inverted"),
    ("masking", "scores.masked_fill(~allowed", "scores.masked_fill_(~allowed", "overwrites the scores"),
    ("masking", ".softmax(-1).masked_fill(empty, 0)", ".softmax(-1)", "empty row uniform"),
    ("masking", "filled.masked_fill(empty, 0).softmax", "filled.softmax", "empty row NaN in the gradient"),
    ("masking", ".softmax(-1).masked_fill(empty", ".softmax(-2).masked_fill(empty", "wrong axis"),
    ("scoring", "keys[..., :1, :].detach()", "keys.mean(-2, keepdim=True).detach()", "masked keys are felt"),
    ("masking", "else allowed & mask", "else allowed | mask", "either may allow"),
    ("attention", "weights = masked_softmax(scores, mask=mask)", "weights = masked_softmax(scores)", "mask lost"),
    ("attention", "else dropout(weights)) @ values, weights", "else dropout(weights)) @ values, scores", "scores"),
    ("attention", "pairs if allowed is None else allowed & pairs", "pairs", "earlier masks lost"),
    ("attention", '("query_mask", query_mask, -2), ("key_mask", key_mask, -1)',
     '("query_mask", query_mask, -1), ("key_mask", key_mask, -2)', "query and key masks swapped"),
    ("attention", "return distance_scores(queries, keys)", "return -distance_scores(queries, keys)", "farthest"),
    ("multihead", "X.unflatten(-1, (num_heads, -1))", "X.unflatten(-1, (-1, num_heads)).mT", "strided heads"),
    ("multihead", "return X.transpose(-3, -2).flatten(-2)", "return X.flatten(-2)", "merge without transpose"),
    ("multihead", "scores = dot_product_scores(self.W_q(query), self.W_k(key))",
     "scores = dot_product_scores(self.W_k(query), self.W_q(key))", "W_q and W_k swapped"),
    ("multihead", "attend(scores, self.W_v(value), allowed)", "attend(scores, self.W_v(value))", "mask lost"),
    ("multihead", "mask = mask.unsqueeze(-3)", "mask = mask.unsqueeze(0)", "batch read as heads"),
    ("multihead", "return self.W_o(merge_heads(heads))", "return merge_heads(heads)", "W_o forgotten"),
    ("multihead", "if self.training else 0.0", "", "drops in evaluation"),
    ("multihead", "heads.masked_fill(empty, 0)", "heads", "empty row of the fused kernel"),
    ("multihead", "return self.W_o(torch.cat(outputs, -1))", "return self.W_o(torch.cat(outputs[::-1], -1))", "order"),
    ("self_attention", "past if mask is None else past & mask", "mask", "not causal"),
    ("self_attention", "if self.causal:", "if self.causal and self.training:", "not causal in evaluation"),
    ("positional", "(angles.sin(), angles.cos())", "(angles.cos(), angles.sin())", "sine and cosine swapped"),
    ("positional", "return base**-exponents", "return base**exponents", "frequencies grow"),
    ("positional", "device=device) / size", "device=device) / (size + 1)", "wrong width"),
    ("positional", "encoding.P[0, : X.shape[-2]]", "encoding.P[0, X.shape[0] :][: X.shape[-2]]", "by batch"),
    ("positional", "(angles.cos(), angles.sin(), -angles.sin(), angles.cos())",
     "(angles.cos(), -angles.sin(), angles.sin(), angles.cos())", "turns backwards"),
    ("positional", "turned = x * cos - y * sin", "turned = x * cos + y * sin", "no rotation"),
    ("positional", "X[..., 0::2], X[..., 1::2]", "X.chunk(2, -1)", "pairs mixed up"),
    ("positional", "2 ** (-8 * (h + 1) / lower)", "2 ** (-8 * h / lower)", "slopes off by one"),
    ("positional", "return -alibi_slopes", "return alibi_slopes", "farther is better"),
    ("plotting", "cmap=cmap, norm=norm,", "cmap=cmap,", "a scale for each panel, one bar"),
    ("plotting", "interpolation=\"nearest\"", "interpolation=\"bilinear\"", "cells blurred"),
    ("plotting", "ax.imshow(matrix,", "ax.imshow(matrix[::-1],", "queries upside down"),
    ("plotting", "fig.colorbar(image, ax=axes, shrink=0.8, extend=extend)", "", "no bar"),
    ("parameters", "not low <= value <= high", "not low < value <= high", "the low end is refused"),
    ("parameters", "isinstance(value, bool) or ", "", "True is a number"),
    ("parameters", "round(steps)) < 1e-9", "round(steps)) < 1", "steps are not looked at"),
    ("parameters", "if problems:", "if len(problems) > 1:", "one mistake passes"),
]  # fmt: skip


def tests_of(module):
    """The module's own tests first; then those that hold for all."""
    return [f"tests/test_{module}.py", "tests/test_promises.py"]


def caught(folder, arguments):
    """Run pytest in the copy; True when something fails."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"pytest could not run: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.returncode == 1


def lesson_of(module, folder):
    """What to run for the lesson of a module: nbval compares texts, a test of ours pictures."""
    number = LESSONS[module]
    if module == "plotting":
        return ["tests/test_lessons.py", "-k", f"draws and {number}"]
    (path,) = (folder / "notebooks").glob(f"{number}_*.ipynb")
    return ["--nbval", "--nbval-current-env", str(path.relative_to(folder))]


def copy_of_project(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("attn_teach", "tests", "notebooks", "img", "tools", "pyproject.toml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def try_fault(number, fault):
    """Plant one fault: which of tests and lessons catch it?"""
    module, old, new, what = fault
    folder = copy_of_project(ROOT / "build" / "mutants" / f"{number:02d}")
    path = folder / "attn_teach" / f"{module}.py"
    path.write_text(path.read_text().replace(old, new))
    by_tests = caught(folder, tests_of(module))
    by_lessons = caught(folder, lesson_of(module, folder))
    shutil.rmtree(folder)
    verdict = {(1, 1): "tests, lessons", (1, 0): "tests", (0, 1): "lessons", (0, 0): "SURVIVES"}
    print(f"{number:3d}  {module:15s}{what:45s}{verdict[by_tests, by_lessons]}", flush=True)
    return by_tests, by_lessons


def main():
    """Try all faults, or those given by number, and report the share caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="only these faults")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    arguments = parser.parse_args()
    for module, old, _, what in FAULTS:
        count = (ROOT / "attn_teach" / f"{module}.py").read_text().count(old)
        if count != 1:
            sys.exit(f"fault {what!r}: {old!r} stands {count} times in {module}.py, not once")
    clean = copy_of_project(ROOT / "build" / "mutants" / "clean")
    if caught(clean, ["tests/test_promises.py"]):
        sys.exit("the tests fail without any fault; run make test first")
    chosen = {n: FAULTS[n] for n in arguments.numbers or range(len(FAULTS))}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(try_fault, chosen, chosen.values()))
    tests, lessons = (sum(column) for column in zip(*results, strict=True))
    either = sum(any(result) for result in results)
    print(
        f"\n{len(results)} faults: {either} caught ({either / len(results):.0%}); "
        f"{tests} by the tests, {lessons} by the lessons"
    )
    return 0 if either == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
