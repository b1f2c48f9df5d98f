"""The first screen: three causal attentions with a mistake, which other tests let pass.

A visitor checks each and mends it. What `check` says of each as it stands is computed here, so that
it is told at once; what is typed is judged by Python in the page (exercises.js).
"""

import json

from tools.site.tab import judging

TASK = "my_causal_self_attention"
TESTS = "torch-judge 0.1.1"  # whose task causal_attention(Q, K, V) has these
PASSED = (
    "Output shape",
    "Future tokens don't affect past",
    "First position only sees itself",
    "Gradient flow",
)
BEGINS = """\
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
"""
# The lines after these, which pass all of them; and what the mistake does.
ATTENTIONS = {
    """\
    scores = Q @ K.mT / K.shape[-1]
    past = torch.ones_like(scores).tril()
    scores[past == 0] = -torch.inf
    return scores.softmax(-1) @ V
""": "Divided by too much, scores lie closer together: each word took in the others more alike.",
    """\
    scores = K @ Q.mT / K.shape[-1] ** 0.5
    past = torch.ones_like(scores).tril()
    scores[past == 0] = -torch.inf
    return scores.softmax(-1) @ V
""": "A word looked not for what it asks, but for those that ask what it offers.",
    """\
    scores = Q @ K.mT / K.shape[-1] ** 0.5
    powers = scores.exp().tril()
    total = powers.sum(-1, keepdim=True)
    return powers @ V / total
""": "One score of a hundred is enough for NaN, which is no number, in place of a word's output.",
}


def recorded(code):
    """What `check` says of this code: [status, message]. Of no call before it anything is left."""
    judging.catalogue.forget_hints(TASK)
    return list(judging.check(TASK, code))


def part(macro, start):
    """The door as HTML of this template; start is the first lesson's page."""
    rounds = []
    for lines, means in ATTENTIONS.items():
        status, message = recorded(BEGINS + lines)
        told = json.dumps([[TASK, status, message]])
        rounds.append((BEGINS + lines, status, message, told, means))
    return macro(TASK, rounds, TESTS, PASSED, start)
