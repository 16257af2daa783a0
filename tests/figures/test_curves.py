"""Curves: lines, a band, dashed levels, and words for who does not see them."""

import re

from epitome.figures.curves import MOST_POINTS, Curve, Curves, thin_out
from epitome.figures.svg import standalone_svg


def draw(**more):
    points = [(1.0, 0.5), (2.0, 0.25), (3.0, 0.0)]
    figure = Curves(key="k", title="T", curves=[Curve("one", points)], label_x="sources", description="Said.", **more)
    return figure.draw()


def test_a_figure_says_what_it_shows():
    drawn = draw(band=[(1.0, 0.0, 1.0), (3.0, -0.5, 0.5)], goals=[0.0])
    assert 'role="img"' in drawn and "<desc" in drawn and "Said." in drawn and "sources" in drawn
    assert drawn.count('class="curve s1"') == 1 and drawn.count('class="band"') == 1 and 'class="goal"' in drawn


def test_higher_values_stand_higher_and_inside_the_figure():
    line = re.search(r'class="curve s1" points="([^"]+)"', draw())[1]
    places = [tuple(map(float, point.split(","))) for point in line.split()]
    assert [x for x, _y in places] == sorted(x for x, _y in places)
    assert [y for _x, y in places] == sorted(y for _x, y in places)
    assert all(0 <= x <= 320 and 0 <= y <= 210 for x, y in places)


def test_one_look_and_no_spread_are_drawn_too():
    figure = Curves("k", "T", [Curve("one", [(1.0, 0.0)])], "n", "Said.", band=[(1.0, 0.0, 0.0)])
    assert "NaN" not in figure.draw() and standalone_svg(figure.draw()).startswith("<?xml")


def test_long_lines_are_thinned_and_keep_their_end():
    points = [(float(x), 0.0) for x in range(1001)]
    result = thin_out(points)
    assert len(result) <= MOST_POINTS + 2 and result[-1] == points[-1] and result[0] == points[0] and thin_out([]) == []
