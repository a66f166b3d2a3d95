"""Sphinx configuration."""

from importlib.metadata import version as installed_version

project = "weightpath"
author = "the weightpath developers"
copyright = "the weightpath developers"
release = installed_version("weightpath")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]

exclude_patterns = ["generated/**/_*"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# The class template lists the members; numpydoc need not do it again.
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"weightpath {release}"


def skip_foreign(app, what, name, obj, skip, options):
    """Leave out what scikit-learn and Python define: their documentation is elsewhere."""
    home = getattr(obj, "__module__", None) or ""
    foreign = home.split(".")[0] in {"builtins", "sklearn"}
    return True if foreign else None


def setup(app):
    app.connect("autodoc-skip-member", skip_foreign)
