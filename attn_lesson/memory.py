"""What a computation holds at one time: counted from its tensors, so the same on every machine."""

import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Ledger(TorchDispatchMode):
    """Adds up what all tensors take that are made, and takes off those that are dropped.

    size: what a tensor's memory counts, its bytes unless told.
    """

    def __init__(self, size=lambda tensor: tensor.untyped_storage().nbytes()):
        super().__init__()
        self.size, self.owners, self.now, self.most = size, {}, 0, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **kwargs or {})
        for tensor in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(tensor, torch.Tensor):
                self.note(tensor)
        return result

    def note(self, tensor):
        place, size = tensor.untyped_storage().data_ptr(), self.size(tensor)
        if place not in self.owners:
            self.owners[place] = 0
            self.now += size
            self.most = max(self.most, self.now)
        self.owners[place] += 1  # views share it
        weakref.finalize(tensor, self._drop, place, size)

    def _drop(self, place, size):
        self.owners[place] -= 1
        if not self.owners[place]:
            del self.owners[place]
            self.now -= size


@torch.no_grad()
def peak(function, *arguments):
    """The most bytes that tensors made by function(*arguments) took at one time.

    What the arguments take is not counted, nor what a kernel of PyTorch uses inside.
    """
    with Ledger() as ledger:
        for argument in arguments:  # a view of an argument is nothing new
            if isinstance(argument, torch.Tensor):
                ledger.owners[argument.untyped_storage().data_ptr()] = 1
        function(*arguments)
    return ledger.most


def kept_for_backward(function, *arguments):
    """The bytes of the tensors that function(*arguments) keeps for its gradient.

    Of all tensors that share memory the bytes count once.
    """
    kept = {}

    def note(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        result = function(*arguments)
    del result
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
