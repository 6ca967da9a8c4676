"""Texelscope: a workbench for the 2D texture memory of mobile GPUs.

>>> import texelscope
>>> study = texelscope.Study("matmul", (64, 64, 64), config="A=row,column;T=4x4;G=8x8x1")
>>> study.simulate().l1.misses
3072
>>> study.heat_map("A").counts.sum()
2048

Errors are exceptions with one line: ``BadInput`` (a ``ValueError``) and ``Missing`` (an ``OSError``), both ``Error``. Long calls
release the interpreter's lock, show how far they are, and stop on Ctrl-C.
"""

from . import _texelscope
from ._errors import BadInput, Error, Missing
from ._texelscope import *
from ._texelscope import __version__

__all__ = ["BadInput", "Error", "Missing", "__version__"]
__all__ += [name for name in dir(_texelscope) if not name.startswith("_")]

for _name in __all__:  # where messages and help() say that they are from
    _thing = globals()[_name]
    if isinstance(_thing, type):
        _thing.__module__ = "texelscope"
del _name, _thing
