"""The model: predicts what an engine must do from the specification's text alone, and follows it through a history."""

from tck_features.model.model import Model

__all__ = ["Model"]
