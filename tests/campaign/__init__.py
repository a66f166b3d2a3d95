"""A campaign of ugly problems, and a judge that shares nothing with the library.

``problems`` draws a problem from an integer, ``cases`` makes of its quantities what an estimator is
given and what a judge needs, ``judge`` says how far a point is from optimal by the definitions
alone, ``active_set`` solves a problem in long double, ``refusals`` asks whether a refusal has the
cause that it names, ``examine`` puts all of this to one problem, ``run`` to many::

    python tests/campaign/run.py --count 1000 --first-seed 0 --jobs 2
    python tests/campaign/run.py --seed 17
"""
