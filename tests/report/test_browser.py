"""A report in a browser: light and dark, on a phone and on a desk."""

import numpy as np
import pytest

from okpca.report import report

from .test_report import HOSTILE, cut

pytestmark = pytest.mark.long

MEASURED = """(() => {
  const shown = [...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width);
  const box = e => e.getBoundingClientRect();
  const right = document.documentElement.clientWidth;
  const scrolls = e => e.closest('.scroll, pre');
  return {
    wide: document.documentElement.scrollWidth,
    pictures: shown.length,
    blank: shown.filter(s => box(s).height < 100 || !s.querySelector('path')).length,
    beyond: [...document.querySelectorAll('main *')].filter(
      e => !e.closest('svg') && !scrolls(e) && box(e).right > right + 1).map(e => e.outerHTML),
    letters: Math.min(...shown.flatMap(s => [...s.querySelectorAll('text')].map(
      t => parseFloat(getComputedStyle(t).fontSize) * box(s).width / s.viewBox.baseVal.width))),
    ink: getComputedStyle(document.body).color,
    paper: getComputedStyle(document.querySelector('section')).backgroundColor,
    drawn: getComputedStyle(shown[0].querySelector('text')).fill,
  };
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory, detector, faulty):
    times = np.datetime64("2026-03-01T08:00") + np.arange(6000) * np.timedelta64(1, "s")
    rows = np.tile(faulty, (6, 1))
    path = tmp_path_factory.mktemp("page") / "report.html"
    commands = [f"okpca report m.okpca {'very-' * 30}long.csv -o {HOSTILE[0]}"]
    made = report(detector, cut(rows, 1000, times), title=HOSTILE[0], commands=commands)
    path.write_text(made.html, encoding="utf-8")
    return path


def brightness(colour):
    """Of 'rgb(r, g, b)', from 0 to 255."""
    return np.mean([float(part) for part in colour.strip("rgba()").split(",")[:3]])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_it_is_readable(browser, page, width, dark):
    browser.open(page, width, dark)
    found = browser.evaluate(MEASURED)
    assert found["wide"] == width  # nothing to scroll to
    assert found["beyond"] == []
    assert (found["pictures"], found["blank"]) == (4, 0)
    assert found["letters"] >= 8.5  # px
    ink, paper, drawn = (brightness(found[name]) for name in ("ink", "paper", "drawn"))
    assert (paper < 60 < 180 < ink) if dark else (ink < 60 < 180 < paper)
    assert drawn == ink
    assert browser.named("Runtime.consoleAPICalled") == []
    assert browser.named("Runtime.exceptionThrown") == []
    assert [entry["entry"]["text"] for entry in browser.named("Log.entryAdded")] == []
    asked = {event["request"]["url"] for event in browser.named("Network.requestWillBeSent")}
    assert {url for url in asked if not url.startswith("data:")} == {page.resolve().as_uri()}
