"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "num_train": (20000, 30000),
    "num_test": (200, 500),
    "num_hiddens": (32, 48, 8),
    "num_heads": [4, 8],
    "batch_size": (40, 56),
    "learning_rate": (0.006, 0.01),
    "race_steps": (250, 350),
    "more_steps": (400, 600),
    "written_for": {
        "seed": 0,
        "num_train": 30000,
        "num_test": 500,
        "num_hiddens": 40,
        "num_heads": 4,
        "batch_size": 48,
        "learning_rate": 0.008,
        "race_steps": 300,
        "more_steps": 500,
    },
}
