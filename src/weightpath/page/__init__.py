"""Pages on which theta moves: for the browser, for notebooks, and as a widget."""

from weightpath.page.document import write_html
from weightpath.page.notebook import PageView, path_widget, show_path

__all__ = ["PageView", "path_widget", "show_path", "write_html"]
