"""Images for real containers, made on the spot: the stand-in CLIs, and the real ones with a model server inside."""

from tck_fakes.images.engine import connect, elsewhere
from tck_fakes.images.missing import MissingPartError
from tck_fakes.images.real_image import RealCli, real
from tck_fakes.images.standin_image import base, standins

__all__ = ["MissingPartError", "RealCli", "base", "connect", "elsewhere", "real", "standins"]
