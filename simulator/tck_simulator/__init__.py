"""The reference engine: a real one in small, one module per chapter of the specification.

Everything it needs of the outside world is handed to it through the protocols in `ports`; it never imports a fake.
"""
