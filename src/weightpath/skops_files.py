"""Fitted scikit-learn objects as bytes: by skops, never by pickle.

What is read is made of types that are known to be harmless, or that the caller trusts by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from weightpath.files import most_unpacked

__all__ = ["TRUSTED_TYPES", "UntrustedTypesError", "dump_object", "load_object"]

# Types of ordinary transformers that skops does not know. None of them runs anything from a file:
# they are types of numbers, functions that compute scores of columns, and plain containers.
TRUSTED_TYPES = (
    "numpy.bool_",
    "numpy.dtype",
    "numpy.floating",
    "numpy.integer",
    "numpy.number",
    "numpy.object_",
    "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "scipy.interpolate._bsplines.BSpline",
    "scipy.interpolate._bsplines._BSpline",  # since SciPy 1.18
    "sklearn.compose._column_transformer._RemainderColsList",  # scikit-learn before 1.7
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.feature_selection._mutual_info.mutual_info_classif",
    "sklearn.feature_selection._mutual_info.mutual_info_regression",
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.feature_selection._univariate_selection.f_regression",
    "sklearn.feature_selection._univariate_selection.r_regression",
    "sklearn.impute._iterative.IterativeImputer",
    "sklearn.impute._iterative._ImputerTriplet",
    # Of the paths that the command line writes.
    "weightpath.cli.input.preparation.as_numbers",
    "weightpath.cli.input.preparation.as_texts",
    "weightpath.cli.input.preparation.as_times",
    "weightpath.cli.input.preparation.time_names",
)


class UntrustedTypesError(ValueError):
    """A file holds types that are not known to be harmless.

    Attributes
    ----------
    types : list of str
        Their names.
    """

    def __init__(self, types: Sequence[str]) -> None:
        self.types = sorted(types)
        super().__init__(
            f"the transformers have types that are not known to be harmless: "
            f"{', '.join(self.types)}. If you trust the file, and these, give them to load as "
            f"trusted={self.types!r}."
        )


def dump_object(thing: Any) -> bytes:
    """Return a fitted object of scikit-learn as bytes.

    Raises
    ------
    ImportError
        Without skops.
    ValueError
        If skops cannot write the object.
    """
    data: bytes
    try:
        data = _skops().dumps(thing, compression=ZIP_DEFLATED)
    except ImportError:
        raise
    except Exception as error:
        # skops reports what it cannot write by several types, those of what it looks into too.
        raise ValueError(f"the transformers cannot be written to a file ({error})") from error
    return data


def load_object(data: bytes, trusted: Sequence[str] = ()) -> Any:
    """Return the object that :func:`dump_object` has written.

    Parameters
    ----------
    data : bytes
        What was written.
    trusted : sequence of str
        Names of further types that may be made, such as ``"my_package.MyTransformer"``.

    Raises
    ------
    ImportError
        Without skops.
    UntrustedTypesError
        If there are other types; nothing is made of them then.
    ValueError
        If the data are damaged.
    """
    io = _skops()
    try:
        with ZipFile(BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > most_unpacked(len(data)):
            raise ValueError("they would be larger than the file can hold")
        allowed = {*TRUSTED_TYPES, *trusted}
        untrusted = set(io.get_untrusted_types(data=data)) - allowed
        if not untrusted:
            return io.loads(data, trusted=sorted(allowed))
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"the transformers cannot be read ({error})") from error
    raise UntrustedTypesError(sorted(untrusted))


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "The transformers of a pipeline are saved and read by skops, which is not installed: "
            "pip install 'weightpath[skops]'."
        ) from error
    return skops.io
