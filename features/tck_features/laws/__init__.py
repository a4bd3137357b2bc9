"""Laws: what must hold of each single start, name, mount, directory and removal, whatever the engine decided."""

from tck_features.laws.laws import Laws

__all__ = ["Laws"]
