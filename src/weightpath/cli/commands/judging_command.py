"""Commands that judge: their options are those of all metrics that are known."""

from __future__ import annotations

import click

from weightpath.cli.commands.data_command import DataCommand
from weightpath.cli.input.metric_options import is_file, metric_in, metric_parameters
from weightpath.metrics import register

__all__ = ["JudgingCommand"]


class JudgingCommand(DataCommand):
    """A command with the options of all metrics, also of one from a file."""

    def read_ahead(self, args: list[str]) -> None:
        """Make the metric of a file known, so that its options are."""
        for word, following in zip(args, [*args, ""][1:], strict=True):
            value = following if word == "--metric" else word.removeprefix("--metric=")
            if value != word and is_file(value):
                register(metric_in(value))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of the command and those of metrics."""
        *own, last = super().get_params(ctx)
        # They stand before --help, under the heading of the other options of judging.
        return [*own, *metric_parameters(), last]
