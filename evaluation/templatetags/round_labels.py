"""Filters for the templates of rounds."""

from django import template

from evaluation.services.rounds.built_in_texts import translate_built_in

register = template.Library()
register.filter("built_in_text", translate_built_in)
