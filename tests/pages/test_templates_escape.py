"""No variable of any template is put out as it is: each is rendered with a text that would be HTML."""

from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, engines
from django.template.base import VariableNode
from django.template.defaulttags import AutoEscapeControlNode, CycleNode, FirstOfNode
from django.template.library import SimpleNode
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

FOLDER = Path(settings.BASE_DIR) / "templates"
PUT_OUT = (VariableNode, BlockTranslateNode, TranslateNode, FirstOfNode, CycleNode, SimpleNode)
RAW = ("data-mark>", '&"')
"""What is left of the mark wherever it is not escaped."""


class Mark(str):
    """A text that is also each of its own fields."""

    __slots__ = ()

    def __getitem__(self, key):
        return self if isinstance(key, str) else str.__getitem__(self, key)


MARK = Mark("<b data-mark>&\"'")


class Everything(dict):
    """Has the mark under every name."""

    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return MARK


def load(name):
    return engines["django"].get_template(name).template


def render_apart(template, node):
    """What one node puts out where every variable is the mark; "" where it takes no text at all."""
    context = Context()
    context.dicts.append(Everything())
    with context.bind_template(template):
        try:
            return node.render_annotated(context)
        except Exception:  # noqa: BLE001 - a number or a row is asked for: a text never gets there
            return ""


def list_nodes(template):
    return [node for kind in PUT_OUT for node in template.nodelist.get_nodes_by_type(kind)]


def list_templates():
    return sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html"))


@pytest.mark.parametrize("name", list_templates())
def test_what_people_wrote_is_escaped_in_every_variable(name):
    template = load(name)
    assert all(node.setting for node in template.nodelist.get_nodes_by_type(AutoEscapeControlNode))
    for node in list_nodes(template):
        rendered = render_apart(template, node)
        assert not any(raw in rendered for raw in RAW), (node.token.lineno, rendered)


def test_most_variables_show_the_mark():
    """Else the test above would say nothing. The others are numbers, dates, and words that the site chooses."""
    templates = [load(name) for name in list_templates()]
    nodes = [(each, node) for each in templates for node in each.nodelist.get_nodes_by_type(VariableNode)]
    n_shown = sum("&lt;b data-mark&gt;" in render_apart(template, node) for template, node in nodes)
    assert n_shown > 0.8 * len(nodes) > 1500, (n_shown, len(nodes))


@pytest.mark.parametrize("source", ["{{ text|safe }}", "{% autoescape off %}{{ text }}{% endautoescape %}"])
def test_a_text_that_is_put_out_as_it_is_would_be_found(source):
    template = engines["django"].from_string(source).template
    inner = template.nodelist.get_nodes_by_type(VariableNode)
    found = [node for node in inner if any(raw in render_apart(template, node) for raw in RAW)]
    switched_off = [node for node in template.nodelist.get_nodes_by_type(AutoEscapeControlNode) if not node.setting]
    assert found or switched_off
