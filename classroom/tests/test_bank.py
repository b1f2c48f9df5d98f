"""The bank of exam questions: one right choice each, solved again from the printed sheet alone."""

import ast
import contextlib
import itertools
import re
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from test_answers import blocks, learners

import attn_teach as at
from attn_lesson import lesson16
from attn_lesson.catalogue import exercise
from classroom import bank
from tools.lessons import ROOT, lessons, number


def size(module):
    return sum(numbers.numel() for numbers in module.parameters())


def seen(w, layers, n=100):
    """How many tokens the last output of a stack depends on."""
    near, X = at.causal_mask(n).triu(-w), torch.eye(n).double()  # each token is a feature
    for _ in range(layers):
        X = at.attend(torch.zeros(n, n).double(), X, near)[0]
    return (X[-1] > 0).sum().item()


def kept(g):
    """How many more tokens go through a block without a cache than with it."""
    block, cache = at.CausalBlock(4, 1, 4), at.KVCache()
    for tokens in range(g.p, g.p + g.m):
        block(torch.zeros(1, tokens - len(cache), 4), cache=cache)
    return sum(range(g.p, g.p + g.m)) - len(cache)


def still_held(n, window):
    """How many tokens the cache of a layer holds that has read n of them."""
    cache = at.KVCache()
    at.CausalAttention(2, 1, window=window)(torch.zeros(1, n, 2), cache=cache)
    return cache.held


def attended(batch, n, m, d, v):
    return at.attend(torch.zeros(batch, n, m), torch.zeros(batch, m, v))


def by_heads(batch, heads, n, m, d):
    layer, X = at.MultiHeadAttention(d, d, d, d, heads), torch.zeros(batch, n, d)
    layer(X, *[torch.zeros(batch, m, d)] * 2)
    return layer.attention_weights


def moved(n, d, rows, columns):
    """How many numbers attention in tiles moves."""
    x, kernel = torch.zeros(n, d), partial(lesson16.flash, rows=rows, columns=columns)
    return lesson16.Chip().run(kernel, x, x, x, out=torch.zeros(n, d)).moved


# For each template that is no exercise, its answer by the package, from the figures of the
# printed question.
SOLVED = {
    "weights_shape": lambda g: list(attended(**vars(g))[1].shape),
    "output_shape": lambda g: list(attended(**vars(g))[0].shape),
    "mask_shape": lambda g: list(at.padding_mask(torch.ones(g.batch).long(), g.m)[:, None].shape),
    "mask_cells": lambda g: (
        (at.causal_mask(g.n) & at.padding_mask(torch.tensor([g.m]), g.n)).sum().item()
    ),
    "split_shape": lambda g: list(at.split_heads(torch.ones(g.batch, g.n, g.d), g.heads).shape),
    "head_parameters": lambda g: size(at.MultiHeadAttention(g.d, g.d, g.d, g.d, g.heads)),
    "weights_kept": lambda g: by_heads(**vars(g)).numel(),
    "reach": lambda g: seen(g.w, g.layers),
    "block_parameters": lambda g: size(at.EncoderBlock(g.d, 4, g.f)),
    "crossed_shape": lambda g: list(by_heads(g.batch, g.heads, g.w, g.r, g.heads).shape),
    "cache_saves": kept,
    "kept_shape": lambda g: [g.batch, g.pairs, g.n, g.size],
    "rows_off": lambda g: (torch.tensor(g.weights).sum(-1) - 1).abs().max().item(),
    "leaks": lambda g: sum(number > g.limit for number in g.moved[: g.j]),
    "tokens_held": lambda g: sum(
        still_held(g.n, None if (layer + 1) % g.every == 0 else g.window)
        for layer in range(g.layers)
    ),
    "slot_of": lambda g: max(t for t in range(g.n) if t % g.slots == g.j),
    "kept_hybrid": lambda g: sum(
        g.s**2 if (layer + 1) % g.every else 2 * g.n * g.d for layer in range(g.layers)
    ),
    "tiles_kept": lambda g: sum(
        any(k <= q and k // g.m == q // g.m for q in (a, a + g.t - 1) for k in (b, b + g.t - 1))
        for a in range(0, g.n, g.t)
        for b in range(0, g.n, g.t)
    ),
    "passes": lambda g: moved(g.n, g.d, g.B, g.C),
}


def figures(text):
    """What the text gives as `name = value`."""
    pairs = re.findall(r"`([\w ]+) = ([^`]+)`", text)
    assert len(dict(pairs)) == len(pairs)
    return SimpleNamespace(**{name: ast.literal_eval(value) for name, value in pairs})


def read(page):
    """What is printed below each heading of a sheet or a key: (text, its four choices)."""
    _, *parts = re.split(r"^## \d+\. .*$", page, flags=re.MULTILINE)
    return [(p.partition("\n- ")[0], re.findall("^- (.*)$", p, re.MULTILINE)) for p in parts]


ALL = [number(path) for path in lessons()]
SEEDS = "a phrase", "b", 2  # drawn once for all tests
ANSWERS = {  # what a learner wrote that is right, for each exercise
    about[0]: source for path in lessons() for about, source in blocks(path) if about[1] == "right"
}


def printed(name, text):
    """The arguments of the case that a question prints."""
    given, drawn = vars(figures(text)), bank.TEMPLATES[name].case(bank.Draw("for the shapes"))
    case = [
        torch.tensor(value, dtype=like.dtype).reshape(like.shape)
        if torch.is_tensor(like)
        else value
        for value, like in zip(given.values(), drawn, strict=True)
    ]
    return dict(zip(exercise(name).arguments, case, strict=True))


def makes(name, function, text):
    """What the function makes of the case that a question prints."""
    case = printed(name, text).values()
    return bank.flat(bank.plain(exercise(name).run(function, *case)))


def behind(name, why):
    """The functions that may be behind a choice: a learner's right one, or those with a mistake."""
    made = exercise(name)
    if not why:
        return [learners(name, ANSWERS[name])]
    return [
        made.wrong[setting] if knob == "instead" else partial(made.answer, **{knob: setting})
        for (knob, setting), told in made.settings.items()
        if why in [*told.split(" // "), *map(bank.told, told.split(" // "))] and knob != "result"
    ]


def prints(text, values):
    """Whether a choice shows these values, rounded."""
    half = 0.5001 * 10.0 ** -len((re.findall(r"\.(\d+)", text) or [""])[0])
    shown = bank.flat(ast.literal_eval(text))
    return all(abs(a - b) <= half for a, b in zip(shown, values, strict=True))


@pytest.mark.parametrize("name", list(bank.TEMPLATES))
def test_the_sheet_alone_gives_the_key_and_both_forms_offer_the_same_mistakes(name):
    asked, places = [], set()
    for seed in SEEDS:
        forms = [bank.ask(name, seed, form) for form in bank.FORMS]
        for question in forms:
            texts, whys = zip(*question.choices, strict=True)
            asked.append(question.asks)
            places.add(place := whys.index(""))
            assert bank.is_hidden([texts[place], *texts[:place], *texts[place + 1 :]])
            assert len({*texts}) == len({*whys}) == 4 and whys.count("") == 1
            assert all(len(bank.flat(ast.literal_eval(text))) <= 6 for text in texts)
            given = vars(figures(question.asks))
            single = [value for value in given.values() if type(value) in (int, float)]
            assert len({*single}) == len(single), "which of two equal ones counts cannot be seen"
            for text, why in question.choices:
                if name in SOLVED:
                    right = bank.flat([SOLVED[name](SimpleNamespace(**given))])
                    assert prints(text, right) == (not why)
                    continue
                made = [makes(name, each, question.asks) for each in behind(name, why)]
                assert any(prints(text, values) for values in made), why
                case = printed(name, question.asks)
                assert bank.TEMPLATES[name].is_sensible(ast.literal_eval(text), case), why
        assert {why for _, why in forms[0].choices} == {why for _, why in forms[1].choices}
        assert forms[0].asks != forms[1].asks
    assert len({*asked}) > 3 and len(places) > 1


def test_the_bank_covers_the_course_and_the_seed_is_in_the_key_alone():
    sheet, key = bank.exam(SEEDS[0], ALL)
    for question in sheet.split("\n## ")[1:]:
        assert re.findall(r"^- (\w)\.", question, re.MULTILINE) == list("ABCD")
    assert "a phrase" in key and "a phrase" not in sheet and "** is right" not in sheet
    assert {template.lesson for template in bank.TEMPLATES.values()} >= set(ALL)
    assert len(read(sheet)) <= 2 * len(ALL)
    assert bank.table() in (ROOT / "classroom" / "README.md").read_text("utf-8")
    assert not [text for text, _ in read(sheet) if not text.strip().endswith((".", "?"))]


def test_a_seed_gives_one_exam_on_every_machine():
    """These were drawn once; another Python or processor must draw them again."""
    draw = bank.Draw("a", 1)
    assert [draw.whole(0, 99) for _ in range(6)] == [33, 88, 78, 14, 54, 26]
    given = [bank.exam(SEEDS[0], ALL, form)[1] for form in bank.FORMS]
    assert given[0] != bank.exam("b", ALL)[1]
    heads = [re.findall(r"^## .*$", key, re.MULTILINE) for key in given]
    assert heads[0] == heads[1] and given[0] != given[1]
    letters = [re.findall(r"\*\*(\w)\. ", key) for key in given]
    assert letters[0] != letters[1] and set(letters[0]) == set("ABCD")
    assert bank.ask("mask_cells", "a").choices == [
        ("95", ""),
        ("140", "the causal mask is forgotten"),
        ("104", "each slot sees one word too many"),
        ("105", "the padding is forgotten"),
    ]


def test_what_nobody_would_believe_and_what_shows_nothing_is_not_drawn():
    values = torch.tensor([1.0, 2.0])
    assert bank.within(2.0, values) and bank.within([0.5], 0, values)
    assert not bank.within([1.5, 2.1], values) and not bank.within([0.5], values)
    assert bank.chances([[0.5, 0.5], [1.0, 0.0]]) and not bank.chances([0.02, 0.02])
    assert not bank.chances([1.5, -0.5])
    assert not bank.TEMPLATES["my_weights"].is_sensible([0.02, 0.02], {})
    assert not bank.TEMPLATES["my_attention"].is_sensible(2.1, {"values": values})
    assert not bank.is_hidden(["[1, 2]", "[1, 3]", "[4, 2]", "[5, 6]"])
    assert bank.is_hidden(["[1, 2]", "[1, 3]", "[4, 3]", "[5, 6]"])
    draw = bank.Draw("b")
    assert all(draw.table(0, 1, 3).any() for _ in range(40))
    assert {draw.flags(3).sum().item() for _ in range(20)} == {2}


def near(texts):
    """How near each choice lies to the others, numbers compared."""
    rows = [bank.flat(ast.literal_eval(text)) for text in texts]
    return [-sum(abs(x - y) for r in rows for x, y in zip(r, own, strict=True)) for own in rows]


GUESSERS = [partial(bank.agreement, same=same) for same in bank.SAME]
GUESSERS += [near, lambda texts: [-x for x in near(texts)], lambda texts: [*map(len, texts)]]


def test_who_goes_by_the_choices_alone_guesses_hardly_better_than_chance():
    drawn = [
        (name, [text for text, _ in choices], [why for _, why in choices].index(""))
        for name, seed, form in itertools.product(bank.TEMPLATES, SEEDS, bank.FORMS)
        for choices in [bank.ask(name, seed, form).choices]
    ]
    for guess in GUESSERS:
        rates = {}
        for name, texts, right in drawn:
            scores = guess(texts)
            most = [i for i, score in enumerate(scores) if score > max(scores) - 1e-9]
            rates.setdefault(name, []).append((right in most) / len(most))
        shares = [sum(rate) / len(rate) for rate in rates.values()]
        assert sum(shares) / len(shares) < 0.3, guess


def explains(name, function, asks, result):
    with contextlib.suppress(Exception):  # another mistake of that name, not for this case
        return prints(result, makes(name, function, asks))


def test_why_a_result_is_wrong_is_asked_and_one_mistake_explains_it():
    poor = 0
    for name in bank.TEMPLATES:
        try:
            questions = [bank.ask(name, SEEDS[0], form, why=True) for form in bank.FORMS]
        except RuntimeError:
            poor += 1
            continue
        for question in questions:
            got = re.search(r"Somebody got `(.*)`\.", question.asks)[1]
            texts, whys = zip(*question.choices, strict=True)
            assert len({*texts}) == len({*whys}) == 4 and whys.count("") == 1
            assert f"would give {got}" not in whys and not any("`" in text for text in texts)
            for text, why in question.choices if name not in SOLVED else ():
                result = why.removeprefix("would give ") or got
                assert any(explains(name, f, question.asks, result) for f in behind(name, text))
        assert {text for text, _ in questions[0].choices} == {*texts}
    assert poor <= 2


def test_the_sheet_names_no_argument_of_a_function_and_says_how_long_it_takes():
    sheet = bank.exam(SEEDS[0], ALL, most=9)[0]
    raw = r"`\w*_(hiddens|heads|lens|mask|keys|values|queries|contexts|letters|chances|[ab])\b"
    assert not re.search(raw, sheet) and " as " not in "".join(re.findall("`[^`]+`", sheet))
    assert "`new point = [" in sheet and "`size of a pair = 2`" in sheet
    count = len(read(sheet))
    assert f"There are {count} questions: plan {2 * count} to {3 * count} minutes." in sheet


SOUND = [
    ((1.0, 2.0, 3.0, 4.0), 2, True),
    ((1.0, 1.04, 3.0, 4.0), 2, False),  # within what is rounded on paper
    ((1.0, 2.0, 3.0, 2.01), 2, False),
    ((1.005, 2.0, 3.0, 4.0), 2, False),  # 1.00 or 1.01, as the last bit falls
    ((3, 4, 5, 10**6), 0, False),
    ((3, 4, 5, 6), 0, True),
    ((3, 4, 5, 3), 0, False),
]


@pytest.mark.parametrize(("values", "digits", "sound"), SOUND)
def test_choices_can_be_told_apart(values, digits, sound):
    assert bank.can_be_told_apart(values, digits) == sound
    assert bank.shown(-0.001, digits) == ("0.00" if digits else "0")  # without a sign


def test_the_command_writes_both_files_and_keeps_the_key_of_another(tmp_path, capsys):
    folder = tmp_path / "exam"
    for _ in range(2):  # the same again is no other exam
        bank.main(["01", "06", "--seed", "a phrase", "--into", str(folder)])
    assert sorted(path.name for path in folder.iterdir()) == ["exam.md", "key.md"]
    sheet, key = bank.exam("a phrase", ["01", "06"])
    assert (folder / "exam.md").read_text("utf-8") == sheet and len(read(sheet)) == 4
    assert (folder / "key.md").read_text("utf-8") == key
    with pytest.raises(SystemExit, match=r"key\.md is the key of another exam: move it"):
        bank.main(["01", "--into", str(folder)])
    assert (folder / "exam.md").read_text("utf-8") == sheet
    assert capsys.readouterr().out.count("-> ") == 4
    for form in bank.FORMS:  # each in a folder of its own
        bank.main(["01", "--seed", "a phrase", "--form", form, "--into", str(folder)])
        assert (folder / form / "key.md").read_text() == bank.exam("a phrase", ["01"], form)[1]
    seeds = set()
    for place in "ab":  # without a seed one is drawn, and the key tells it
        bank.main(["01", "--into", str(tmp_path / place)])
        told = (tmp_path / place / "key.md").read_text()
        seeds.add(re.search(r"Seed: `([0-9a-f]{12})`", told)[1])
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--seed", seed], "the seed must be a text of one line") for seed in ("", " ", "a\nb", "a`b")]
    + [(["01", "02"], "the bank has no template for 02; --table lists all")]
    + [(["--form", "after"], "the form after needs the seed that the key of before names")]
    + [(["--each", "0"], "--each must be 1 or more, got 0")],
)
def test_what_cannot_be_asked_is_refused(words, said, tmp_path, monkeypatch, capsys):
    few = {name: each for name, each in bank.TEMPLATES.items() if each.lesson == "01"}
    monkeypatch.setattr(bank, "TEMPLATES", few)
    with pytest.raises(SystemExit, match=said):
        bank.main([*words, "--into", str(tmp_path)])
    with pytest.raises(SystemExit):
        bank.main(["--form", "later", "--into", str(tmp_path)])
    assert "argument --form: invalid choice: 'later'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    bank.main(["--into", str(tmp_path)])
    assert "Lessons: 01." in (tmp_path / "key.md").read_text("utf-8")
