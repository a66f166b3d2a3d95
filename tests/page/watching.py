"""Looking at a page in a browser."""


def settle(page):
    """Wait until theta has stood still and everything is drawn."""
    page.wait_for_timeout(250)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
