"""Lesson 14: layers of published models, to be found by their parts."""
