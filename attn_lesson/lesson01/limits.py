"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "num_points": (30, 150),
    "noise": (0.2, 1.0),
    "bandwidth": (0.3, 1.0),
    "learning_rate": (0.005, 1.0),
    "num_epochs": (1, 200),
    "written_for": {
        "seed": 0,
        "num_points": 50,
        "noise": 0.5,
        "bandwidth": 0.5,
        "learning_rate": 0.5,
        "num_epochs": 5,
    },
}
