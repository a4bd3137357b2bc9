"""The matrix: many reports read, held against each other, and told as one site of engines and requirements."""
