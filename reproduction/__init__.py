"""The paper's experiments: beside the package, not in it; run from a checkout.

``python -m reproduction`` or ``weightpath reproduce`` runs them and writes the report, ``python -m
reproduction.NAME --out DIR`` one of them alone.
"""
