"""Sphinx configuration."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

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
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # Our own, in _extensions.
    "gallery_style",
    "inventories",
    "mathml",
    "moving_page",
]

exclude_patterns = ["_extensions", "_inventories", "generated/**/_*", "generated/backreferences/*"]
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
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"

# The prompts of console sessions and what they print are not copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "subsection_order": [
        f"../examples/{section}"
        for section in ("start", "paths", "weights", "sparse", "rows", "guarantees")
    ],
    "within_subsection_order": "ExampleTitleSortKey",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("weightpath",),
    "reference_url": {"weightpath": None},
    "reset_modules": ("matplotlib", "gallery_style.set_style"),
    "first_notebook_cell": (
        '# Needs weightpath with its extra "plot"; tables need pandas.\n%matplotlib inline'
    ),
    # Displays and parts of pictures: the picture says it all.
    "ignore_repr_types": r"Display|matplotlib",
    "show_memory": False,
    "show_signature": False,
    # Times of one machine say little, and a list of them is a page that changes with every build.
    "min_reported_time": 1e6,
    "write_computation_times": False,
    "plot_gallery": "True",
}


def skip_foreign(app, what, name, obj, skip, options):
    """Leave out what scikit-learn and Python define: their documentation is elsewhere."""
    home = getattr(obj, "__module__", None) or ""
    foreign = home.split(".")[0] in {"builtins", "sklearn"}
    return True if foreign else None


def setup(app):
    app.connect("autodoc-skip-member", skip_foreign)
