"""Pages on which theta, or a point of a plane, moves: in browsers, in notebooks, as a widget."""

from weightpath.page.document import write_html
from weightpath.page.map_document import show_map, write_map_html
from weightpath.page.notebook import PageView, path_widget, show_path

__all__ = ["PageView", "path_widget", "show_map", "show_path", "write_html", "write_map_html"]
