"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "strength": (4.0, 20.0),
    "spread": (0.4, 0.8),
    "num_heads": [1, 2, 4, 8],
    "sentence": [
        "the hungry horse left the barn",
        "the horse left the barn hungry",
        "the hungry horse left the dark barn",
        "the dark horse left the hungry barn",
    ],
    "kernel": (3, 7, 2),
    "num_hiddens": (8, 256, 8),
    "lengths": [[8, 16, 32, 64, 128, 256], [8, 32, 128, 512], [8, 16, 32, 64, 128, 256, 512, 1024]],
    "written_for": {
        "sentence": "the hungry horse left the barn",
        "strength": 8.0,
        "num_heads": 2,
        "kernel": 3,
        "num_hiddens": 32,
        "lengths": [8, 16, 32, 64, 128, 256],
    },
}
