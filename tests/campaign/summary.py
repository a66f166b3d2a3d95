"""What a campaign has shown, in words and numbers."""

from __future__ import annotations

from collections import Counter

__all__ = ["failing_lines", "summary"]


def summary(reports) -> str:
    """Return counts by estimator and category, and the shares of the causes of refusals."""
    total, points = len(reports), sum(report.n_looked_at for report in reports)
    failed = sum(bool(report.findings) for report in reports)
    lines = [f"{total} problems, {points} points judged, {failed} problems failed", ""]
    by = Counter((report.estimator, report.category) for report in reports)
    estimators = sorted({report.estimator for report in reports})
    categories = sorted({report.category for report in reports})
    width = max(map(len, categories), default=0)
    lines.append(" " * width + "".join(f"{name:>13}" for name in estimators) + f"{'all':>9}")
    for category in categories:
        counts = [by[name, category] for name in estimators]
        lines.append(
            f"{category:<{width}}" + "".join(f"{k:>13}" for k in counts) + f"{sum(counts):>9}"
        )
    every = Counter(kind for report in reports for kind in {f.category for f in report.findings})
    if every:
        words = ", ".join(f"{kind} {count}" for kind, count in every.most_common())
        lines += ["", f"problems with a finding of each category: {words}"]
    refused = Counter(report.cause for report in reports if report.cause and not report.findings)
    lines.append("")
    for cause, count in refused.most_common():
        lines.append(f"refused, {cause}: {count} ({100 * count / max(total, 1):.1f} %)")
    kernels = Counter(report.kernel for report in reports if report.findings)
    if kernels:
        words = ", ".join(f"{name} {count}" for name, count in kernels.most_common())
        lines.append(f"failures by kernel: {words}")
    return "\n".join(lines)


def failing_lines(reports) -> list[str]:
    """Return one line for each problem that failed."""
    lines = []
    for report in reports:
        if report.findings:
            first = report.findings[0]
            worst = max(f.figure for f in report.findings if f.category == first.category)
            lines.append(
                f"seed {report.seed} {report.estimator} {report.kernel}: {first.category} "
                f"{worst:.1e} ({len(report.findings)} findings; {first.where})"
            )
    return lines
