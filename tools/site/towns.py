"""The model of names that lesson 09 trains, as one small file; and the runs that it quotes.

python -m tools.site.towns write build/towns.bin
python -m tools.site.towns runs                    takes about forty minutes

Both use the code that stands in the lesson: its cells are run up to the trained model. The file is
for programs without PyTorch, such as a page of the web site. It holds

- 4 bytes: the length of the header, a whole number without sign, the lowest byte first;
- the header, JSON in UTF-8, filled up with spaces so that the numbers begin at an even place:
  "tokens", the vocabulary in order, first the countries, then the dot that ends a name, then the
  letters; "countries", how many of them are countries; "heads"; "eps" of the norms; "base" of the
  rotary positions, which turn neighboring pairs; and "numbers", [name, shape] of each tensor;
- the tensors one after the other, row by row, each number a float of 16 bits, lowest byte first.
"""

import contextlib
import csv
import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch

from tools import notebook as form
from tools.lessons import folder, lessons
from tools.site.frames import executed

LESSON = next(path for path in lessons() if (folder(path) / "towns.csv").exists())
NAMES, STEPS, SEEDS = 8600, 600, (0, 1, 2)
USUAL = {"names": NAMES, "width": 64, "blocks": 2, "places": 1, "country": 1}
SHORT = (500, 1000, 2000)  # lists that are known by heart before the last step
OTHERS = [
    {},
    *({"blocks": blocks} for blocks in (1, 0, 3)),
    {"places": 0},
    {"country": 0},
    *({"names": names} for names in (*SHORT, 4000)),
    *({"width": width} for width in (8, 16, 32, 128)),
]


def cells_until(name):
    """The lesson's variables once its cells have run up to the one that binds this name.

    What a learner does or drags is left out.
    """
    for _, names in executed(LESSON, {*form.PRACTICE, "interactive"}):
        if name in names:
            return names
    raise ValueError(f"no cell of {LESSON.name} binds {name}")


def packed(model, tokens, countries=8):
    """The file's bytes."""
    tensors = {name: p.detach().to(torch.float32) for name, p in model.state_dict().items()}
    block = model.blocks[0]
    header = {
        "tokens": tokens,
        "countries": countries,
        "heads": block.num_heads,
        "eps": block.norm_1.eps,
        "base": block.attention.base,
        "numbers": [[name, list(tensor.shape)] for name, tensor in tensors.items()],
    }
    told = json.dumps(header, ensure_ascii=False).encode()
    told += b" " * (len(told) % 2)
    numbers = (tensor.numpy().astype("<f2").tobytes() for tensor in tensors.values())
    return struct.pack("<I", len(told)) + told + b"".join(numbers)


def unpacked(data):
    """What `packed` has put together: the header, a dict, and the tensors by name."""
    length = struct.unpack_from("<I", data)[0]
    header, place = json.loads(data[4 : 4 + length]), 4 + length
    tensors = {}
    for name, shape in header["numbers"]:
        count = int(np.prod(shape))
        numbers = np.frombuffer(data, "<f2", count, place).astype(np.float32)
        tensors[name] = torch.from_numpy(numbers).view(shape)
        place += 2 * count
    return header, tensors


def run(lesson, seed, **what):
    """Train one model as the lesson does, but for what is said; return its row of runs.csv."""
    what = USUAL | what
    lesson["seed"] = seed
    learned, other = lesson["learned"][: what["names"]].clone(), lesson["other"].clone()
    if not what["country"]:
        learned[:, 0] = other[:, 0] = 0
    model = lesson["start"](
        num_blocks=what["blocks"], width=what["width"], places=bool(what["places"])
    )
    with torch.enable_grad():
        lesson["train"](model, learned, STEPS)
    with torch.no_grad():
        losses = [lesson["loss_of"](model, rows).item() for rows in (learned[:1000], other)]
    numbers = sum(p.numel() for p in model.parameters())
    row = {"seed": seed, **what, "numbers": numbers}
    return row | dict(zip(("own", "new"), (f"{loss:.3f}" for loss in losses), strict=True))


def stopped(lesson, seed, names):
    """Train as the lesson does, but stop where held-out names are best: a row of stopped.csv.

    Every 20 steps the loss on them is looked at, and 100 steps without a lower one end the run.
    """
    lesson["seed"] = seed
    model, losses, step = lesson["start"](), {}, 0

    def look(name, _):
        nonlocal step
        step += name == "held-out names"  # the last thing that a step notes
        if step % 20 or step in losses:
            return
        with torch.no_grad():
            losses[step] = lesson["loss_of"](model, lesson["other"]).item()
        if min(losses, key=losses.get) <= step - 100:
            raise StopIteration

    with torch.enable_grad(), contextlib.suppress(StopIteration):
        lesson["train"](model, lesson["learned"][:names], STEPS, look)
    del losses[0]
    best = min(losses, key=losses.get)
    return {"seed": seed, "names": names, "step": best, "new": f"{losses[best]:.3f}"}


def write_rows(path, rows):
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_runs(path):
    """Train all of them anew, and store their losses, beside them those of the stopped."""
    lesson = cells_until("train")
    write_rows(path, [run(lesson, seed, **what) for what in OTHERS for seed in SEEDS])
    rows = [stopped(lesson, seed, names) for names in SHORT for seed in SEEDS]
    write_rows(Path(path).with_name("stopped.csv"), rows)


def main(arguments=None):
    match sys.argv[1:] if arguments is None else arguments:
        case ["write", path]:
            lesson = cells_until("own")  # as it stands there when the model is trained
            data = packed(lesson["model"], lesson["TOKENS"])
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(data)
            print(f"{path}: {len(data) / 1000:.0f} kB")
        case ["runs"]:
            write_runs(folder(LESSON) / "runs.csv")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
