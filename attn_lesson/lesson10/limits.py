"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "length": (10, 30),
    "copied": (30, 60, 10),
    "window": (8, 32, 8),
    "prompt": [
        "The capital of France is",
        "Once upon a",
        "The opposite of hot is",
        "Roses are red, violets are",
    ],
    "written_for": {
        "seed": 7,
        "prompt": "The capital of France is",
        "length": 20,
        "copied": 40,
        "window": 16,
    },
}
