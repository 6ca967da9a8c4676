"""The exceptions of the package: each has one line that says what is wrong, where, and what to do."""


class Error(Exception):
    """What texelscope refuses; see its two kinds."""


class BadInput(Error, ValueError):
    """A text, file, shape or configuration that does not do."""


class Missing(Error, OSError):
    """A device or something else that is not there."""
