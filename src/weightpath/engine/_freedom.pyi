# Nothing here is for Python: native modules call its functions.
