"""What judges an answer: each file is one room."""
