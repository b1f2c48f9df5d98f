"""What tests of pages share: patience, what axe asks, and where screenshots go."""

from axe_playwright_python.sync_playwright import Axe

from tools.lessons import BUILD

SHOTS = BUILD / "screenshots"
PATIENCE = 300  # seconds after which what is waited for never comes, on a busy machine too
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]  # axe's
MOVING = ["01", "03", "05", "07"]  # lessons whose sliders are drawn, if they are not yet
OPEN = "document.querySelectorAll('details').forEach(each => (each.open = true))"


# Where axe does not say whether letters can be told from what is behind them, as over our code's
# shadows and in formulas: their contrast, from the colors of all that they stand in.
FAINT = """targets => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (color, alpha = 1) => {
    [pixel.fillStyle, pixel.globalAlpha] = [color, alpha];
    pixel.fillRect(0, 0, 1, 1);
    const linear = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map(byte =>
      byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  // The first page's model may have written on; what an editor holds is shown by what lies over it.
  const found = targets.map(target => document.querySelector(target)).filter(Boolean);
  const over = each =>
    each.matches(".editor textarea") ? [...each.nextElementSibling.children] : [each];
  return found.flatMap(over).flatMap(own => {
    const around = [];
    for (let up = own; up; up = up.parentElement) around.unshift(getComputedStyle(up));
    const letters = around.at(-1), size = parseFloat(letters.fontSize);
    painted("white");
    const behind = [...around, getComputedStyle(own, "::before")];
    const under = behind.map(style => painted(style.backgroundColor, style.opacity)).at(-1);
    const letter = painted(letters.color, around.reduce((all, style) => all * style.opacity, 1));
    const contrast = (Math.max(under, letter) + 0.05) / (Math.min(under, letter) + 0.05);
    const large = size >= 24 || (size >= 18.66 && letters.fontWeight >= 700);
    return contrast < (large ? 3 : 4.5) ? [[contrast.toFixed(2), own.outerHTML.slice(0, 120)]] : [];
  });
}"""


def breaches(page, part=None):
    """What axe-core finds against WCAG 2.2 AA and good practice in the page, or a part of it.

    Contrast is computed in the light and in the dark, also where axe leaves it open.
    """
    found = Axe().run(page, part, options={"preload": False, "runOnly": STANDARDS}).response
    letters = [
        target
        for rule in found["passes"] + found["incomplete"]
        if rule["id"] == "color-contrast"
        for node in rule["nodes"]
        for target in node["target"]
    ]
    was = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    faint = []
    for scheme in ("light", "dark", ("light", "dark")[was]):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        faint += page.evaluate(FAINT, letters)
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] + faint


def page_width(page):
    """How wide the page is; more than its window, and it scrolls sideways."""
    return page.evaluate("document.documentElement.scrollWidth")
