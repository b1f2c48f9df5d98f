"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "steps": (100, 1600),
    "heads": (2, 128),
    "latent": (256, 2048),
    "tokens": (1000, 10**6),
    "written_for": {"seed": 0, "steps": 600, "heads": 128, "latent": 512, "tokens": 100_000},
}
