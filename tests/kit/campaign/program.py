"""A program that does three errands with whatever executor --cluster chooses, and prints what came of them."""

from __future__ import annotations

import sys
from pathlib import Path

from tck_kit.campaign.choice import executor
from tck_kit.campaign.fitness import Suites
from tck_kit.campaign.units import Unit

from .errands import Errand, Silent, double


def main() -> None:
    """Do the first at once, and the others once there is a file `go` in the folder."""
    folder = Path(sys.argv[2])
    with executor(sys.argv[1], Suites()) as work:
        orders = [Unit("first", Errand(1)), Unit("second", Errand(2, folder)), Unit("third", Errand(3, folder))]
        harvest = work.perform(double, orders, watch=Silent())
    print([one.result for one in harvest.ended], harvest.cut_short)  # noqa: T201 -- it is a program


if __name__ == "__main__":
    main()
