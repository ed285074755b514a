"""What a page says: the sentences of its live regions, in their order, by the rules of WAI-ARIA."""

from playwright.sync_api import Page

LISTEN = """() => {
  globalThis.heard = [];
  const isLive = (place) => {
    const byRole = { status: 'polite', alert: 'assertive' }[place.getAttribute('role')];
    const live = place.getAttribute('aria-live') ?? byRole;
    return live === 'polite' || live === 'assertive';
  };
  const region = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    const place = element?.closest('[aria-live],[role=status],[role=alert]');
    return place && isLive(place) && place.checkVisibility() ? place : null;
  };
  new MutationObserver((changes) => {
    const isNews = (change) => change.type === 'characterData' || change.addedNodes.length;
    const regions = new Set(changes.filter(isNews).map(({ target }) => region(target)).filter(Boolean));
    for (const place of regions) {
      const text = place.textContent.replace(/\\s+/g, ' ').trim();
      if (text) heard.push(text);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
"""Script that collects in `heard` what is said from now on."""


def listen(page: Page) -> None:
    """Record what the page says from now on."""
    page.evaluate(LISTEN)


def heard(page: Page, count: int = 1) -> list[str]:
    """Return what was said since the last call, once it is `count` sentences, and what follows."""
    page.wait_for_function("(count) => heard.length >= count", arg=count)
    page.wait_for_timeout(250)
    return said(page)


def said(page: Page) -> list[str]:
    """Return what was said since the last call."""
    sentences: list[str] = page.evaluate("heard.splice(0)")
    return sentences
