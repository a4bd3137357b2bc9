"""Who watches a history: the model that predicts what an engine does, and the laws that hold of everything it does."""

from __future__ import annotations

from tck_features.history.history import Watcher


def watchers() -> tuple[Watcher, ...]:
    """Give new watchers, for one history."""
    # They are large, and most scenarios are no histories.
    from tck_features.laws import Laws  # noqa: PLC0415
    from tck_features.model import Model  # noqa: PLC0415

    return (Model(), Laws())
