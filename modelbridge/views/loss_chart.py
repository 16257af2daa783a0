"""A curve over the updates of a training, drawn by the server."""

from collections.abc import Sequence

from annotation.figures.svg import WIDTH, Svg, element, frame, line, text

TOP, HEIGHT, LEFT = 24.0, 120.0, 40.0
MOST = 400
"""Points that are drawn; more cannot be told apart."""


def loss_chart(title: str, points: Sequence[tuple[int, float]]) -> Svg | None:
    """points: (update, value), in order. None for fewer than two, which are no curve."""
    if len(points) < 2:
        return None
    kept = points[:: max(1, -(-len(points) // MOST))]
    first, last = kept[0][0], kept[-1][0]
    high = max(value for _step, value in kept) or 1.0
    along, up = (WIDTH - LEFT - 8) / max(1, last - first), HEIGHT / high
    bottom = TOP + HEIGHT
    path = " ".join(f"{LEFT + (step - first) * along:.1f},{bottom - value * up:.1f}" for step, value in kept)
    parts = [text(0, 12, title, "title")]
    for share in (0.0, 0.5, 1.0):
        y = bottom - HEIGHT * share
        parts += [line(LEFT, y, WIDTH - 8, y, "grid"), text(LEFT - 6, y + 4, f"{high * share:.3g}", "end faint")]
    parts += [
        element("polyline", class_="trend", points=path),
        text(LEFT, bottom + 14, str(first), "mid faint"),
        text(WIDTH - 8, bottom + 14, str(last), "end faint"),
    ]
    told = f"{kept[0][1]:.4g} → {kept[-1][1]:.4g}"
    return frame("loss", title, told, bottom + 20, parts)
