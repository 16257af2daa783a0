"""URLs of the pages of rounds."""

from django.urls import URLPattern, path

from evaluation.views.rounds import (  # noqa: F401  for what they register
    draft_pairs,
    interim,
    new_round,
    outside_import,
    question_preview,
    round_card,
    round_editor,
    round_stages,
    round_step,
    rounds,
    templates,
    unblinding,
)

project_urls: list[URLPattern] = [
    path("rounds/", rounds.round_list, name="rounds"),
    path("rounds/new/", new_round.new_round, name="round-new"),
    path("rounds/preview/", round_editor.preview_design, name="round-check"),
    path("rounds/templates/", templates.list_templates, name="round-templates"),
    path("rounds/templates/new/", templates.new_template, name="round-template-new"),
    path("rounds/templates/<uuid:public_id>/", templates.show_template, name="round-template"),
    path("rounds/<uuid:public_id>/", rounds.show_round, name="round"),
    path("runs/<uuid:public_id>/draft-pairs/", draft_pairs.design_pair_round, name="run-draft-pairs"),
    path("rounds/<uuid:public_id>/preview/", round_editor.preview_item, name="round-preview"),
    path("rounds/<uuid:public_id>/unblind/", unblinding.unblind_round, name="round-unblind"),
    path("rounds/<uuid:public_id>/import/", outside_import.choose_file, name="round-import"),
    path("rounds/<uuid:public_id>/import/check/", outside_import.check_file, name="round-import-check"),
    path("rounds/<uuid:public_id>/interim/", interim.show_interim, name="round-interim"),
    path("rounds/<uuid:public_id>/judgements/", rounds.download_judgements, name="round-judgements"),
    path("rounds/<uuid:public_id>/judges/", rounds.download_judges, name="round-judges"),
    path("rounds/<uuid:public_id>/design/", rounds.download_design, name="round-design"),
]
