"""The page in a real browser: everything moves, and its numbers are those of the path."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from page.cases import CASES, HOSTILE
from page.watching import settle, wait_until
from weightpath.metrics import label_of

pytestmark = pytest.mark.second_stage

PROMISED = 1e-9


def number(text):
    """Read a number as the page writes it."""
    return float(text.replace("\N{MINUS SIGN}", "-"))


def looks(page):
    """What each panel shows: its elements and its drawings."""
    return page.evaluate(
        """() => Object.fromEntries(Array.from(document.querySelectorAll(".wp-card"), (card) => [
            card.querySelector("h2").textContent,
            card.innerHTML
                + Array.from(card.querySelectorAll("canvas"), (c) => c.toDataURL()).join(),
        ]))"""
    )


@pytest.mark.parametrize("name", CASES)
def test_page_has_the_numbers_of_path_curve_and_model(open_page, case, name):
    one, page = case(name), open_page(name)
    path, curve = one.path, one.curve
    theta = np.random.default_rng(11).uniform(0, path.theta[-1], 100).tolist()
    found = page.evaluate(
        """(all) => all.map((theta) => {
            const w = window.weightpath, s = w.at(theta);
            return {coef: s.dualCoef.map((a) => Array.from(a)), intercept: s.intercept,
                weights: Array.from(s.weights), sets: [s.outside, s.margin, s.inside],
                curve: w.curve(theta), predict: w.predict(theta),
                values: w.decisionFunction(theta)};
        })""",
        theta,
    )
    for at, here in zip(theta, found, strict=True):
        solution, model = path.at(at), path.model_at(at)
        assert_allclose(here["coef"], np.atleast_2d(solution.dual_coef), atol=PROMISED)
        assert_allclose(here["intercept"], np.atleast_1d(solution.intercept), atol=PROMISED)
        assert_allclose(here["weights"], solution.weights, atol=PROMISED)
        for rows, kind in zip(here["sets"], ("outside", "margin", "inside"), strict=True):
            expected = getattr(solution, kind)
            expected = expected if isinstance(expected, tuple) else (expected,)
            assert rows == [own.tolist() for own in expected]
        if curve is not None:
            assert_allclose(here["curve"], curve(at), atol=PROMISED)
        predicted = model.predict(one.X)
        if path.classes is not None or name == "one-class":
            assert here["predict"] == [str(label) for label in predicted.tolist()]
        else:
            assert_allclose(here["predict"], predicted, atol=PROMISED)
        assert_allclose(here["values"], path.decision_function(one.X, at), atol=PROMISED)


@pytest.mark.parametrize("name", CASES)
def test_slider_moves_every_panel(open_page, name):
    page = open_page(name)
    settle(page)
    before = looks(page)
    box = page.locator(".wp-slider").bounding_box()
    across = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 9, across)
    page.mouse.down()
    for share in (0.2, 0.4, 0.6):
        page.mouse.move(box["x"] + share * box["width"], across)
    page.mouse.up()
    settle(page)
    assert abs(page.evaluate("window.weightpath.theta") - 0.6) < 0.02
    after = looks(page)
    assert before.keys() == after.keys() and len(after) >= 6
    assert [title for title in before if before[title] == after[title]] == []


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_is_the_solution(open_page, case, name):
    """The text in the elements, at six digits, for a theta that is typed."""
    one, page = case(name), open_page(name)
    page.fill(".wp-theta", "0.4375")
    page.keyboard.press("Enter")
    settle(page)
    solution = one.path.at(0.4375)
    table = page.locator(".wp-table").first
    names = table.locator("th").all_inner_texts()
    cells = [line.locator("td").all_inner_texts() for line in table.locator("tbody tr").all()[:8]]
    coef = np.atleast_2d(solution.dual_coef)[0]
    rows = one.path.parts[0].train_rows
    written = [number(line[names.index("coefficient")]) for line in cells]
    assert_allclose(written, coef[rows[: len(cells)]], rtol=1e-5, atol=1e-6)
    at = next(i for i, title in enumerate(names) if title.endswith("at θ"))
    weights = [number(line[at]) for line in cells]
    assert_allclose(weights, solution.weights[rows[: len(cells)]], rtol=1e-5)
    if one.curve is not None:
        value = float(page.locator(".wp-curve-value").inner_text())
        assert_allclose(value, one.curve(0.4375), rtol=1e-5)
    counts = page.locator(".wp-tally").all_inner_texts()
    sets = [solution.outside, solution.margin, solution.inside]
    sets = [own[0] if isinstance(own, tuple) else own for own in sets]
    assert counts == [str(len(own)) for own in sets]


@pytest.mark.parametrize("name", [name for name in CASES if name != "one-class"])
def test_press_on_the_curve_moves_the_slider(open_page, case, name):
    page = open_page(name)
    settle(page)
    box = page.get_by_label(f"{label_of(case(name).metric)} along theta").bounding_box()
    page.mouse.click(box["x"] + 52 + 0.7 * (box["width"] - 64), box["y"] + 100)
    settle(page)
    assert abs(page.evaluate("window.weightpath.theta") - 0.7) < 0.005
    assert abs(float(page.locator(".wp-slider").input_value()) - 0.7) < 0.005


def test_best_theta_is_one_press_away(open_page, case):
    page = open_page("svc")
    page.get_by_role("button", name="Go to the best θ").click()
    settle(page)
    assert page.evaluate("window.weightpath.theta") == case("svc").curve.best.theta


def test_confusion_matrix_is_that_of_the_model(open_page, case):
    from sklearn.metrics import confusion_matrix

    one, page = case("several-classes"), open_page("several-classes")
    for theta in (0.0, 0.3, 1.0):
        page.evaluate("(theta) => window.weightpath.go(theta)", theta)
        settle(page)
        counts = [int(text) for text in page.locator(".wp-count").all_inner_texts()]
        predicted = one.path.model_at(theta).predict(one.X)
        assert counts == confusion_matrix(one.y, predicted).ravel().tolist()


def test_keyboard(open_page, case):
    page, events = open_page("svc"), case("svc").path.events
    theta = lambda: page.evaluate("window.weightpath.theta")  # noqa: E731
    page.locator(".wp-slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert_allclose(theta(), 0.004)
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowLeft")
    assert_allclose(theta(), 0.022)
    page.keyboard.press("End")
    assert theta() == 1.0
    page.keyboard.press("Home")
    assert theta() == 0.0
    first = events["theta"][events["theta"] > 0][0]
    page.keyboard.press("Shift+ArrowRight")
    assert theta() == first
    page.keyboard.press("Space")
    wait_until(page, f"window.weightpath.theta > {first} + 0.001")
    page.keyboard.press("Space")
    settle(page)
    stopped = theta()
    settle(page)
    assert theta() == stopped
    text = page.locator(".wp-slider").get_attribute("aria-valuetext")
    assert text.startswith("theta ") and "rows on the margin" in text


def test_every_control_is_reached_by_tab_and_has_a_name(open_page):
    page = open_page("several-classes")
    settle(page)
    nameless = page.evaluate(
        """() => Array.from(document.querySelectorAll("button, input, select"), (own) =>
            [own, own.getAttribute("aria-label") || own.textContent || own.labels?.length])
            .filter(([own, name]) => own.checkVisibility() && !name)
            .map(([own]) => own.outerHTML)"""
    )
    assert nameless == []
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.className"))
    assert {"wp-play", "wp-slider", "wp-theta", "wp-part", "wp-best"} <= seen
    drawings = page.locator("canvas, svg[role=img]").all()
    assert all(one.get_attribute("role") == "img" for one in drawings)
    assert all(one.get_attribute("aria-label") for one in drawings)


def test_press_on_an_event_tells_which_row(open_page, case):
    page, events = open_page("svr"), case("svr").path.events
    number = 7
    canvas = page.locator("canvas[aria-label^='coefficient']")
    box = canvas.bounding_box()
    across = 52 + events["theta"][number] * (box["width"] - 64)
    page.mouse.click(box["x"] + across, box["y"] + box["height"] - 45)
    settle(page)
    text = page.locator(".wp-detail").inner_text()
    event = events[int(text.split()[1]) - 1]
    assert abs(event["theta"] - events["theta"][number]) < 0.02
    assert page.evaluate("window.weightpath.theta") == event["theta"]
    assert f"row {event['index']} " in text
    assert text.endswith(f"goes from {event['from']} to {event['to']}.")
    page.get_by_role("button", name="To the next event").click()
    settle(page)
    assert (
        f"Event {int(text.split()[1]) + 1} of {len(events)}"
        in page.locator(".wp-detail").inner_text()
    )


def test_tables_are_searched_sorted_and_filtered(open_page, case):
    page = open_page("svc")
    path = case("svc").path
    page.evaluate("window.weightpath.go(0.5)")
    settle(page)
    card = page.locator(".wp-card", has=page.get_by_role("heading", name="Training rows"))
    card.get_by_role("button", name="coefficient").click()
    card.get_by_role("button", name="coefficient").click()
    assert card.locator("th[aria-sort=descending]").inner_text().startswith("coefficient")
    coef = path.at(0.5).dual_coef
    written = float(card.locator("tbody tr").first.locator("td").nth(3).inner_text())
    assert_allclose(written, coef.max(), rtol=1e-5)
    for name in ("outside", "inside"):
        card.get_by_role("button", name=name, exact=False).first.click()
    shown = card.locator("tbody tr:visible").all()
    assert len(shown) == len(path.at(0.5).margin)
    for name in ("outside", "inside"):
        card.get_by_role("button", name=name, exact=False).first.click()
    card.get_by_role("searchbox").fill("row 17")
    assert card.locator("tbody tr:visible td:first-child").all_inner_texts() == ["row 17"]


def test_documents_change_places_as_scores_cross(open_page, case):
    one, page = case("ranking"), open_page("ranking")
    page.locator("select").last.select_option(label="<b>")
    for theta in (0.0, 0.5, 1.0):
        page.evaluate("(theta) => window.weightpath.go(theta)", theta)
        settle(page)
        rows = np.flatnonzero(one.qid == "<b>")
        scores = one.path.decision_function(one.X, theta)[rows]
        order = [f"row {row}" for row in rows[np.argsort(-scores, kind="stable")]]
        assert page.locator(".wp-ranking .wp-name").all_inner_texts() == order
        from sklearn.metrics import ndcg_score

        value = float(page.locator(".wp-ndcg").inner_text())
        assert_allclose(value, ndcg_score([one.y[rows]], [scores]), rtol=1e-5)


def test_hostile_names_stay_text(open_page):
    for title in HOSTILE[:4]:
        page = open_page("several-classes", title=title)
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


def test_check_in_the_browser(open_page):
    page = open_page("svc")
    page.evaluate("window.weightpath.go(0.3)")
    settle(page)
    page.get_by_role("button", name="Check here").click()
    text = page.locator(".wp-here").inner_text()
    assert number(text.split()[0]) < 1e-9 and text.endswith("θ = 0.3")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(open_page, name, scheme):
    options = {"color_scheme": scheme, "has_touch": True, "is_mobile": True}
    page = open_page(name, width=360, height=740, device_scale_factor=2, **options)
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = page.locator(".wp-slider").bounding_box()
    page.touchscreen.tap(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)
    settle(page)
    assert abs(page.evaluate("window.weightpath.theta") - 0.5) < 0.05


def test_finger_drags_the_slider(open_page):
    """Touches as the browser gets them, from down to up."""
    page = open_page("svc", width=390, height=800, has_touch=True, is_mobile=True)
    settle(page)
    box = page.locator(".wp-slider").bounding_box()
    session = page.context.new_cdp_session(page)

    def touch(kind, share):
        x, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
        points = [] if share is None or kind == "touchEnd" else [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0.1)
    for share in (0.2, 0.4, 0.6, 0.75):
        touch("touchMove", share)
    touch("touchEnd", 0.75)
    settle(page)
    assert abs(page.evaluate("window.weightpath.theta") - 0.75) < 0.05


def test_what_is_out_of_view_is_drawn_when_there_is_time(open_page, case):
    page = open_page("svc", height=500)
    page.evaluate("window.weightpath.go(0.5)")
    settle(page)
    page.wait_for_timeout(1000)
    counts = page.locator(".wp-tally").all_inner_texts()
    solution = case("svc").path.at(0.5)
    sets = solution.outside, solution.margin, solution.inside
    assert counts == [str(len(own)) for own in sets]


def test_theta_is_read_out_when_it_rests(open_page):
    page = open_page("svc")
    page.get_by_role("button", name="Go to the best θ").click()
    settle(page)
    assert page.locator("[aria-live=polite]").inner_text().startswith("theta ")


def test_dark_screen_has_other_colours(open_page):
    colour = "getComputedStyle(document.querySelector('.wp-card')).backgroundColor"
    light = open_page("svc", color_scheme="light")
    dark = open_page("svc", color_scheme="dark")
    assert light.evaluate(colour) != dark.evaluate(colour)
    before = looks(light)
    light.emulate_media(color_scheme="dark")
    settle(light)
    after = looks(light)
    assert before["The model"] != after["The model"]
