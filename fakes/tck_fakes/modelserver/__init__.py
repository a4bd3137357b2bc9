"""A model server of the kit's own: it answers agent CLIs in their vendors' protocols, and says what it was sent.

It stands on the standard library alone, since it also runs inside containers that hold Python and these files.
"""
