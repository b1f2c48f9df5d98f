"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "train_length": (12, 32, 4),
    "num_hiddens": [64, 96],
    "num_heads": [4, 8],
    "steps": (100, 200),
    "batch_size": (24, 48),
    "learning_rate": (0.009, 0.015),
    "table_width": (24, 64, 2),
    "num_places": (60, 100),
    "delta": (2, 9),
    "written_for": {
        "seed": 0,
        "train_length": 16,
        "num_hiddens": 64,
        "num_heads": 8,
        "steps": 120,
        "batch_size": 32,
        "learning_rate": 0.01,
        "table_width": 32,
        "num_places": 60,
        "delta": 3,
    },
}
