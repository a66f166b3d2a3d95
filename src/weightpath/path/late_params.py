"""The parameters of the model that a path belongs to, as plain values, told when first read.

A path is often followed for the model at its end alone; only files and metrics ask for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weightpath.late_rows import read_rows

__all__ = ["LateParams"]


class LateParams:
    """What a path has in common with its parameters.

    The attribute ``params`` is not there until it is read, where a template tells it.
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python asks here only for what it has not found.
            if name == "X" and (rows := read_rows(self)) is not None:
                return rows
            template = self.__dict__.get("template")
            if name != "params" or template is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            params = self.__dict__["params"] = template.to_params()
            return params

    def __getstate__(self) -> dict[str, Any]:
        # Pickles and copies have what a reader would see.
        getattr(self, "params", None)
        read_rows(self)
        return dict(self.__dict__)

    def _postpone_params(self) -> None:
        """Leave the parameters to the template, if they are not given and it can tell them."""
        known = self.__dict__
        if not known["params"] and hasattr(known["template"], "to_params"):
            del known["params"]
