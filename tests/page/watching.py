"""Looking at a page in a browser."""


def settle(page):
    """Wait until theta stands still and everything is drawn."""
    page.wait_for_timeout(250)
    own = "window.weightpath"
    wait_until(page, f"!{own} || (!{own}.frame.moving && {own}.frame.theta === {own}.theta)")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def wait_until(page, expression, seconds=30):
    """Wait until an expression is true; the page's policy forbids what playwright waits with."""
    for _ in range(20 * seconds):
        if page.evaluate(expression):
            return
        # The frame of a notebook has no clock of its own.
        getattr(page, "page", page).wait_for_timeout(50)
    raise AssertionError(f"In vain for {seconds} s: {expression}")
