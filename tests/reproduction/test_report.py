"""The report: of whatever there is, one file, legible, and true to the numbers."""

from __future__ import annotations

import base64
import csv
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("numba", reason="the rivals are compiled with numba: pip install numba")

import made_up_results as made_up

from reproduction import paper, pictures
from reproduction.experiment import NAMES, Options, module_of, store_of
from reproduction.report import NothingToReportError, gather, write_report

GRID = [(gamma, 10.0**k) for gamma in (10.0, 1.0, 0.1) for k in range(5)]


def fill(out, name, results, **options):
    """Put results, by cell, into the store of an experiment."""
    settings = module_of(name).plan(Options(out, **options)).settings
    store = store_of(name, out)
    for cell, result in results:
        store.put(settings, cell, result, {"processor": "a machine"})


def cost_cells(make, cells, part="cost"):
    named = {} if part is None else {"part": part}
    return [({**named, "gamma": g, "C0": C0}, make(g, C0)) for g, C0 in cells]


@pytest.fixture(scope="module")
def partial(tmp_path_factory):
    """Parts of five experiments, among them cells that were stopped."""
    out = tmp_path_factory.mktemp("partial")
    online = cost_cells(
        lambda g, C0: made_up.online_cost(1.0, C0 / 10, capped=C0 == 1e4), GRID[:12]
    )
    errors = cost_cells(lambda g, C0: made_up.online_error(0.3, 0.35), GRID[:2], "error")
    fill(out, "online", online + errors)
    fill(out, "covariate-shift", cost_cells(lambda g, C0: made_up.covariate_cost(1, 5), GRID[:1]))
    errors = cost_cells(lambda g, C0: made_up.covariate_error(1 / C0, 0.2 / C0), GRID[:3], "error")
    fill(out, "covariate-shift", errors)
    fill(
        out,
        "heteroscedastic",
        cost_cells(lambda g, C0: made_up.heteroscedastic(1.0, g), GRID, None),
    )
    fill(
        out,
        "transduction",
        cost_cells(lambda g, C0: made_up.transduction(1.0, 2.0, capped=C0 > 1), GRID[:7]),
    )
    for fold in (1, 2):
        paths = cost_cells(lambda g, C0: made_up.ranking_path(2.0, 150), [(10.0, 1e-3)], "path")
        fill(out, "ranking", [({**cell, "fold": fold}, result) for cell, result in paths])
    rival = {"part": "rival", "fold": 2, "gamma": 10.0, "C0": 1e-3}
    fill(out, "ranking", [(rival, made_up.ranking_rival(6.0))])
    theta = np.linspace(0, 1, 1001)
    np.savez(
        out / "ranking" / "path-1-10-0.001.npz",
        theta=theta,
        margin=np.arange(1000) % 7,
        edges=theta[::100],
        values=np.arange(10) / 10,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "render", drawn_once(pictures.render))
        return out, write_report(Options(out), (), {"toy": "It was too hot."})


def drawn_once(render):
    """Draw all in light colours but only one in dark ones: that takes half of the time."""

    def draw(picture, dark=False):
        if dark and picture.name != "online-cost":
            return b"\x89PNG, dark " + picture.name.encode()
        return render(picture, dark)

    return draw


@pytest.fixture(scope="module")
def page(partial):
    return partial[1].read_text("utf-8")


@pytest.fixture(scope="module")
def markdown(partial):
    return (partial[0] / "report.md").read_text("utf-8")


def test_says_how_much_was_run(page, markdown):
    for text in (page, markdown):
        assert "14 of 30 cells" in text  # online
        assert "15 of 15 cells" in text  # heteroscedastic
        assert "3 of 155 cells" in text  # ranking
        assert "It was too hot." in text and "It was not run." in text


def test_counts_victories(markdown):
    # SMO takes C0 / 10 and a second for columns: 1.1, 2, 11, 101, and more than 1001 times.
    assert "faster than warm SMO in all 12 cells; the rival took from 1.1 times" in markdown
    assert "to more than 1,001 times (gamma = 10, C0 = 10000)" in markdown
    # With values kept ours takes half a second, SMO 0.1 at the smallest C0.
    assert "SMO, values kept in 9 of 12 cells; the rival took from 0.2 times" in markdown
    # Of the two ways to seed the faster one counts: as long as gamma.
    assert "faster than warm SMO in 5 of 15 cells; the rival took from 0.1 times" in markdown


def test_compares_ranking_on_the_fold_that_both_ran(markdown):
    assert "SMO at 10 places in 1 of 1 setting: the rival took 3 times as long" in markdown
    assert "more than the paper's hundred in 1 of 1 setting" in markdown


def test_errors_are_told(markdown):
    assert "Forgetting lowered the error in all 2 cells and raised it in 0" in markdown
    # Validation chooses the largest C0, whose error is the least.
    assert "with all parameters chosen by validation it was 0.1020 with equal weights" in markdown
    assert "and 0.0020 with the chosen flattening" in markdown


def test_what_was_done_otherwise_is_told(markdown):
    assert "that copy is made beforehand and not charged to it" in markdown  # online
    assert "one more round of training and switching is made, at C* itself" in markdown
    assert "base of the logarithm: here it is 2" in markdown  # ranking
    assert "such a query counts as zero in the mean over the queries" in markdown


def test_the_claim_about_weights_is_judged(tmp_path):
    """The time of the path grows fivefold at gamma = 10, not at 1."""
    seconds = {(10.0, 1.0): 1.0, (10.0, 1e4): 5.0, (1.0, 1.0): 1.0, (1.0, 1e4): 1.0}
    cells = cost_cells(lambda g, C0: made_up.covariate_cost(seconds[g, C0], 9.0), seconds)
    fill(tmp_path, "covariate-shift", cells)
    entries = {entry.name: entry for entry in gather(Options(tmp_path), (), {}).entries}
    readings = entries["covariate-shift"].chapter.readings
    fails = "does not increase with C0 fails at gamma = 10, where it grew by more than 25 %, and"
    assert sum(f"{fails} holds at gamma = 1." in line for line in readings) == 1


def test_stopped_rivals_are_marked(markdown):
    row = next(line for line in markdown.splitlines() if line.startswith("| 10 | 10000 | 100 |"))
    assert "| > 1,001 |" in row
    accuracy = [line for line in markdown.splitlines() if line.startswith("| 10 | 10000 | 1.0e-12")]
    assert accuracy and accuracy[0].endswith("| — |")


def test_what_the_paper_says_stands_beside(page, markdown):
    claims = [claim for name in ("online", "ranking") for claim in paper.CLAIMS[name]]
    for claim in claims:
        assert claim.says in markdown and claim.where in markdown
        assert claim.says in page
    assert "367,663" in markdown and "422,716" in markdown


def test_machine_and_versions(page):
    for words in ("processor", "cores", "Python", "scikit-learn", "numba", "weightpath"):
        assert words in page


class Tags(HTMLParser):
    """Follows the nesting, and collects what is fetched."""

    EMPTY = ("meta", "img", "source")

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.ids = [], [], set()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        fetched = {"src", "srcset", "href"} & set(attributes)
        self.addresses += [attributes[key] for key in fetched]
        self.ids.add(attributes.get("id"))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_whole_and_asks_for_nothing(page):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    inside = [address[1:] for address in tags.addresses if address.startswith("#")]
    assert inside and set(inside) <= tags.ids
    images = [address for address in tags.addresses if not address.startswith("#")]
    assert all(image.startswith("data:image/png;base64,") for image in images)
    assert all(base64.b64decode(image[22:]).startswith(b"\x89PNG") for image in images)
    assert len(images) % 2 == 0  # each in light and in dark
    assert len(set(images)) == len(images)
    assert "http" not in re.sub("http-equiv", "", page)


def test_pictures_of_the_markdown_are_there(partial, markdown):
    out, _ = partial
    files = re.findall(r"\]\((pictures/[^)]+)\)", markdown)
    assert "pictures/ranking-margin.png" in files and "pictures/online-cost.png" in files
    assert all((out / file).read_bytes().startswith(b"\x89PNG") for file in files)


def test_tables_are_written_for_computers(partial):
    out, _ = partial
    with (out / "online" / "online-cost.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 12
    assert rows[4]["SMO s"] == "> 1,001"


def test_markdown_tables_are_rectangular(markdown):
    lines = markdown.splitlines()
    for head, rule in pairwise(lines):
        if re.fullmatch(r"\|(-+:?\|)+", rule):
            assert head.count("|") == rule.count("|")
            after = lines[lines.index(rule) + 1]
            assert after.count("|") >= rule.count("|")


class TestChoice:
    """Which settings are shown where there are several."""

    def report(self, out, wanted=(), **options):
        entries = gather(Options(out, **options), wanted, {}).entries
        return {entry.name: entry for entry in entries}["heteroscedastic"]

    @pytest.fixture
    def out(self, tmp_path):
        full = cost_cells(lambda g, C0: made_up.heteroscedastic(1.0, 2.0), GRID[:2], None)
        quick = cost_cells(lambda g, C0: made_up.heteroscedastic(1.0, 0.5), GRID[:3:2], None)
        more = cost_cells(lambda g, C0: made_up.heteroscedastic(1.0, 9.0), GRID[:1], None)
        fill(tmp_path, "heteroscedastic", full)
        fill(tmp_path, "heteroscedastic", quick, quick=True)
        fill(tmp_path, "heteroscedastic", more, repetitions=3)
        return tmp_path

    def test_full_before_quick(self, out):
        entry = self.report(out)
        assert entry.measured.coverage == "2 of 15 cells" and not entry.measured.is_quick
        assert "3 more cell(s), of other settings" in entry.run
        assert "the rival took from 2 times" in entry.chapter.readings[0]

    def test_what_was_just_run_before_all(self, out):
        entry = self.report(out, ["heteroscedastic"], quick=True)
        assert entry.measured.coverage == "2 of 6 cells" and entry.measured.is_quick
        assert "a quick run" in entry.run
        entry = self.report(out, ["heteroscedastic"], repetitions=3)
        assert entry.measured.coverage == "1 of 15 cells"
        assert "repetitions: 3" in entry.run

    def test_what_was_run_of_another_experiment_does_not_matter(self, out):
        assert not self.report(out, ["online"], quick=True).measured.is_quick


def test_cells_of_an_earlier_version_are_not_reported(tmp_path):
    settings = {"quick": False, "another": "age"}
    store_of("online", tmp_path).put(settings, {"part": "cost"}, {"nothing": "known"})
    with pytest.raises(NothingToReportError):
        gather(Options(tmp_path), (), {})


def test_nothing_to_report(tmp_path):
    with pytest.raises(NothingToReportError, match="run an experiment first"):
        write_report(Options(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()


def test_every_experiment_has_what_the_paper_says():
    assert set(paper.CLAIMS) == set(paper.SETUP) == set(NAMES)
