"""A curve over the updates of a training, drawn by the server."""

from collections.abc import Sequence

from epitome.figures.numbers import format_measure
from epitome.figures.svg import WIDTH, Svg, build_element, draw_frame, draw_line, draw_text, format_number

TOP, HEIGHT, LEFT = 24.0, 120.0, 40.0
MAX_POINTS = 400
"""Maximum number of points drawn; more cannot be distinguished."""


def loss_chart(title: str, points: Sequence[tuple[int, float]], key: str = "loss") -> Svg | None:
    """points: (update, value), in order; None for fewer than two, which are no curve. key: of the drawing on a page."""
    if len(points) < 2:
        return None
    thinned = points[:: max(1, -(-len(points) // MAX_POINTS))]
    first, last = thinned[0][0], thinned[-1][0]
    high = max(value for _step, value in thinned) or 1.0
    along, up = (WIDTH - LEFT - 8) / max(1, last - first), HEIGHT / high
    bottom = TOP + HEIGHT
    path = " ".join(
        f"{format_number(LEFT + (step - first) * along)},{format_number(bottom - value * up)}"
        for step, value in thinned
    )
    shapes = [draw_text(0, 12, title, "title")]
    for share in (0.0, 0.5, 1.0):
        y = bottom - HEIGHT * share
        shapes += [
            draw_line(LEFT, y, WIDTH - 8, y, "grid"),
            draw_text(LEFT - 6, y + 4, format_measure(high * share), "end faint"),
        ]
    shapes += [
        build_element("polyline", class_="trend", points=path),
        draw_text(LEFT, bottom + 14, str(first), "mid faint"),
        draw_text(WIDTH - 8, bottom + 14, str(last), "end faint"),
    ]
    description = f"{format_measure(thinned[0][1], 4)} → {format_measure(thinned[-1][1], 4)}"
    return draw_frame(key, title, description, bottom + 20, shapes)
