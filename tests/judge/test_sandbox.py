"""What a function changes is noticed, and spoils nothing."""

import pytest
import torch
from judged import exercise, right

from attn_lesson import words as lesson_words
from attn_lesson.judge import sandbox
from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.verdict import judge as judge_exercise


def test_what_was_changed_is_noticed(told):
    def writes(x, weights):
        result = right(x, weights)
        x.zero_()
        return result

    def writes_at_last(x, weights):
        result = right(x, weights)
        weights += len(x) // 4
        return result

    assert "your function writes into `x`: work on a copy" in told(writes).message
    assert "writes into `weights`" in told(writes_at_last).message
    layer = torch.nn.Linear(4, 2)
    layer.register_buffer("table", torch.ones(2))
    for change, words in [
        (lambda m: m.table.zero_(), "your function writes into table of layer"),
        (lambda m: m.eval(), "layer is left in evaluation mode"),
        (lambda m: m.weight.data.zero_(), "your function writes into weight of layer"),
        (lambda m: m.register_parameter("bias", None), "layer has other parameters than before"),
        (lambda m: m, None),
    ]:

        def run(function, x, weights):
            return function(sandbox.watch(layer, "layer"), x, weights)

        def uses_a_module(module, x, weights, change=change):
            change(module)
            return right(x, weights)

        made = exercise(run=lambda function, x, w: function(x, w))
        records, _ = sandbox.run_all(run, uses_a_module, [("plain", made.cases(0)[0])], {})
        said = records[0]["changed"]
        assert len(said) == bool(words) and all(s.startswith(words) for s in said)
        assert all("copy" not in s for s in said), "of a module, parameters stay as they are"
        assert layer.training and layer.weight.any(), "ours are as they were"


@pytest.mark.parametrize("change", [list.reverse, list.sort, list.clear])
def test_a_list_of_the_caller_s_is_left_alone(change):
    def my_largest(numbers):
        largest = max(numbers)
        change(numbers)
        return largest

    def answer(numbers):
        return max(numbers)

    answer.__name__ = "my_largest"
    made = Exercise(answer, cases=lambda seed: [([1.0, 3.0, 2.0],), ([4.0, 9.0, 5.0, 6.0],)])
    made.settings, made.hints = lesson_words.settings([("result", "shared")]), ["One."]
    assert judge_exercise(made, answer).status == "right"
    said = judge_exercise(made, my_largest)
    assert said.status == "wrong" and "your function changes `numbers`: work on" in said.message


def test_what_was_changed_spoils_no_later_case(either_way):
    def my_layer(layer, x):
        return layer(x)

    def writes(layer, x):
        result = layer(x)
        with torch.no_grad():
            layer.weight.zero_()
            x.zero_()
        return result

    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2)
    made = Exercise(my_layer, cases=lambda seed: [(layer, x)] * 2)
    for function in (writes, lambda layer, x: -writes(layer, x)):
        assert (
            "your function writes into weight of `layer`" in judge_exercise(made, function).message
        )
        assert layer.weight.any() and x.all()
    assert judge_exercise(made, lambda layer, x: x @ layer.weight.mT + layer.bias).status == "right"


def test_what_is_drawn_is_the_same_for_all(either_way):
    def my_noise(x):
        return x + torch.randn(x.shape)

    made = Exercise(my_noise, cases=lambda seed: [(torch.zeros(n),) for n in (2, 3)])
    for _ in range(2):
        torch.rand(1)
        assert judge_exercise(made, lambda x: torch.randn(x.shape) + x).status == "right"
    assert judge_exercise(made, lambda x: x + torch.rand(x.shape)).status == "wrong"


def changes_everything(x, weights):
    torch.manual_seed(7)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    torch._C._set_grad_enabled(False)
    torch.set_num_threads(2)
    return right(x, weights)


def test_global_state_is_as_it_was(told, either_way):
    torch.manual_seed(3)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert told(changes_everything).status == "right"
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled()
    assert not torch.are_deterministic_algorithms_enabled()
    try:
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        assert told(right).status == "right"
        assert torch.get_default_dtype() == torch.float64
        assert torch.are_deterministic_algorithms_enabled()
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)
