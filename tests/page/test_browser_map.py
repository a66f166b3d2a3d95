"""The page of a region map in a real browser: its numbers are those of the map."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from page.cases import HOSTILE
from page.map_cases import MAP_CASES
from page.test_browser import looks, number
from page.test_map_script import agree, points
from page.watching import settle

pytestmark = pytest.mark.second_stage

LEFT, RIGHT, TOP, BOTTOM = 48, 12, 22, 36


def pixel(page, unit):
    """Where a point of the unit square is in the picture of the plane."""
    box = page.locator(".wp-plane").bounding_box()
    x = box["x"] + LEFT + unit[0] * (box["width"] - LEFT - RIGHT)
    return x, box["y"] + box["height"] - BOTTOM - unit[1] * (box["height"] - TOP - BOTTOM)


def here(page):
    return np.array(page.evaluate("window.weightpath.z"))


@pytest.mark.parametrize("name", MAP_CASES)
def test_page_has_the_numbers_of_the_map(open_map, map_case, name):
    case, page = map_case(name), open_map(name)
    z = points(case.map, 100, seed=11)
    found = page.evaluate(
        """(all) => all.map((z) => {
            const w = window.weightpath, s = w.at(z);
            return {region: s.region, coef: Array.from(s.dualCoef), intercept: s.intercept,
                weights: Array.from(s.weights), sets: [s.outside, s.margin, s.inside],
                surface: w.surface(z), values: w.decisionFunction(z)};
        })""",
        z.tolist(),
    )
    agree(case, found, z)


@pytest.mark.parametrize("name", MAP_CASES)
def test_drag_moves_every_panel(open_map, map_case, name):
    page, case = open_map(name), map_case(name)
    settle(page)
    before, start = looks(page), here(page)
    page.mouse.move(*pixel(page, (0.3, 0.3)))
    page.mouse.down()
    page.mouse.move(*pixel(page, (0.5, 0.7)))
    page.mouse.move(*pixel(page, (0.97, 0.04)))
    page.mouse.up()
    settle(page)
    low, high = np.array(page.evaluate("window.weightpath.bounds")).T
    assert_allclose((here(page) - low) / (high - low), (0.97, 0.04), atol=0.01)
    after = looks(page)
    assert before.keys() == after.keys() and len(after) >= 5
    unchanged = {title for title in before if before[title] == after[title]}
    # Of few rows, as many may be predicted as each class as before.
    predicted = case.map.decision_function(case.X, [start, here(page)]) > 0
    truth = np.zeros(predicted.shape[1]) if case.y is None else np.asarray(case.y)
    counts = [[own[truth == label].sum() for label in np.unique(truth)] for own in predicted]
    if counts[0] == counts[1]:
        unchanged -= {"Confusion matrix", "Counts of predictions"}
    assert unchanged == set()


def test_region_under_the_pointer_lights_up(open_map, map_case):
    page, plane = open_map("class-costs"), map_case("class-costs").map
    settle(page)
    start = here(page)
    before = looks(page)["The plane"]
    page.mouse.move(*pixel(page, (0.62, 0.81)))
    settle(page)
    text = page.locator(".wp-under").inner_text()
    region = plane.regions[int(text.split()[1])]
    assert region.number in {
        plane.locate((0.62 + a, 0.81 + b)) for a in (-0.01, 0, 0.01) for b in (-0.01, 0, 0.01)
    }
    assert f"outside {len(region.outside)}" in text and f"inside {len(region.inside)}" in text
    assert f"margin {len(region.margin)}" in text
    assert looks(page)["The plane"] != before
    assert (here(page) == start).all()
    page.mouse.move(5, 5)
    settle(page)
    assert "Move over the plane" in page.locator(".wp-under").inner_text()


def test_press_goes_there_and_the_best_is_one_press_away(open_map, map_case):
    case, page = map_case("class-costs"), open_map("class-costs")
    settle(page)
    page.mouse.click(*pixel(page, (0.25, 0.75)))
    settle(page)
    assert_allclose(here(page), (0.25, 0.75), atol=0.01)
    page.get_by_role("button", name="Go to the best z").click()
    settle(page)
    best = case.surface.best
    assert (here(page) == best.z).all()
    assert_allclose(number(page.locator(".wp-surface-value").inner_text()), best.value, rtol=1e-5)


def test_what_is_written_is_the_solution(open_map, map_case):
    case, page = map_case("class-costs"), open_map("class-costs")
    for field, text in zip(page.locator(".wp-theta").all(), ("0.4375", "0.21"), strict=True):
        field.fill(text)
        field.press("Enter")
    settle(page)
    solution = case.map.at((0.4375, 0.21))
    table = page.locator(".wp-table").first
    names = table.locator("th").all_inner_texts()
    cells = [line.locator("td").all_inner_texts() for line in table.locator("tbody tr").all()[:8]]
    written = [number(line[names.index("coefficient")]) for line in cells]
    assert_allclose(written, solution.dual_coef[:8], rtol=1e-5, atol=1e-6)
    weights = [number(line[names.index("weight at z")]) for line in cells]
    assert_allclose(weights, solution.weights[:8], rtol=1e-5)
    counts = page.locator(".wp-tally").all_inner_texts()
    sets = [solution.outside, solution.margin, solution.inside]
    assert counts == [str(len(own)) for own in sets]
    value = number(page.locator(".wp-surface-value").inner_text())
    assert_allclose(value, case.surface((0.4375, 0.21)), rtol=1e-5)
    page.get_by_role("button", name="Check here").click()
    text = page.locator(".wp-here").inner_text()
    assert number(text.split()[0]) < 1e-9 and "0.4375" in text


def test_neighbours_are_entered(open_map, map_case):
    page, plane = open_map("regression"), map_case("regression").map
    settle(page)
    first = plane.locate(here(page))
    line = page.locator(".wp-neighbours li:visible").first
    words = line.inner_text()
    line.locator("button").click()
    settle(page)
    now = plane.locate(here(page))
    before, after = plane.regions[first].position, plane.regions[now].position
    changed = np.flatnonzero(before != after)
    assert now != first and len(changed) >= 1
    assert all(f"row {row}:" in words for row in changed)


def test_keyboard(open_map, map_case):
    page = open_map("class-costs")
    page.locator(".wp-plane").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    assert_allclose(here(page), (0.505, 0.55))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert_allclose(here(page), (0.5, 0.545))
    page.keyboard.press("Enter")
    assert (here(page) == map_case("class-costs").surface.best.z).all()
    page.locator(".wp-slider").first.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert here(page)[0] == 0.002
    page.locator(".wp-slider").last.focus()
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    assert_allclose(here(page)[1], 0.98)
    settle(page)
    text = page.locator(".wp-slider").last.get_attribute("aria-valuetext")
    assert "region" in text and "zero_one" in text
    assert "region" in page.locator("[aria-live=polite]").inner_text()


def test_every_control_has_a_name(open_map):
    page = open_map("class-costs")
    settle(page)
    nameless = page.evaluate(
        """() => Array.from(document.querySelectorAll("button, input, select, canvas"), (own) =>
            [own, own.getAttribute("aria-label") || own.getAttribute("aria-labelledby")
                || own.textContent || own.labels?.length])
            .filter(([own, name]) => own.checkVisibility() && !name)
            .map(([own]) => own.outerHTML)"""
    )
    assert nameless == []
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.className"))
    assert {"wp-canvas wp-plane", "wp-slider", "wp-theta", "wp-best"} <= seen


def test_hostile_names_stay_text(open_map):
    for title in HOSTILE[:4]:
        page = open_map("class-costs", title=title)
        settle(page)
        assert page.locator("h1").first.inner_text() == " ".join(title.split())
        card = page.locator(".wp-card", has=page.get_by_role("heading", name="Training rows"))
        card.get_by_role("searchbox").fill("script")
        settle(page)
        found = card.locator("tbody tr:visible td:first-child").all_inner_texts()
        assert found and set(found) <= set(HOSTILE)
        assert page.evaluate("window.broken") is None
        assert page.locator("img, iframe").count() == 0
        assert page.locator("script").count() == 2


@pytest.mark.parametrize("name", ["class-costs", "regression", "detector"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(open_map, name, scheme):
    options = {"color_scheme": scheme, "has_touch": True, "is_mobile": True}
    page = open_map(name, width=390, height=800, device_scale_factor=2, **options)
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".wp-plane").scroll_into_view_if_needed()
    page.touchscreen.tap(*pixel(page, (0.7, 0.4)))
    settle(page)
    assert_allclose(here(page)[0], 0.7, atol=0.02)


def test_frame_of_a_notebook(open_map, map_case, tmp_path):
    case = map_case("regression")
    frame = case.map.show(case.surface)._repr_html_()
    file = tmp_path / "exported.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{frame}", encoding="utf-8")
    page = open_map.file(file)
    inside = page.frames[1]
    page.wait_for_timeout(500)
    coef = inside.evaluate("Array.from(window.weightpath.at([0.25, 0.5]).dualCoef)")
    assert_allclose(coef, case.map.at((0.25, 0.5)).dual_coef, atol=1e-9)
