"""What a path leaves behind: plain arrays, their validation, their replay, the bias.

The engine writes records and paths read them; neither knows the other.
"""

from weightpath.record.bias import center_bias
from weightpath.record.joining import concatenate, reverse
from weightpath.record.record import Record
from weightpath.record.replay import Replay
from weightpath.record.state import State
from weightpath.record.status import COMPLETE, STOPPED_AT_CAP, STOPPED_ON_REQUEST, Status

__all__ = [
    "COMPLETE",
    "STOPPED_AT_CAP",
    "STOPPED_ON_REQUEST",
    "Record",
    "Replay",
    "State",
    "Status",
    "center_bias",
    "concatenate",
    "reverse",
]
