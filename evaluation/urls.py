"""URLs of the pages of rounds. Every name here must be listed in the access matrix of tests/pages."""

from django.urls import URLPattern, path

from evaluation.views import rating, reports, rounds, tables

urlpatterns: list[URLPattern] = [
    path("p/<slug:slug>/rounds/", rounds.round_list, name="rounds"),
    path("p/<slug:slug>/rounds/new/", rounds.new_round, name="round-new"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/", rounds.show_round, name="round"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/judgements/", rounds.download_judgements, name="round-judgements"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/design/", rounds.download_design, name="round-design"),
    path("p/<slug:slug>/rating/", rating.my_rounds, name="rating"),
    path("rating/<uuid:public_id>/instructions/", rating.show_instructions, name="round-instructions"),
    path("rating/<uuid:public_id>/qualification/", rating.show_qualification, name="round-qualification"),
    path("rating/<uuid:public_id>/next/", rating.next_item, name="next-item"),
    path("items/<uuid:public_id>/", rating.show_item, name="item"),
    path("p/<slug:slug>/tables/", tables.show_tables, name="project-tables"),
    path("p/<slug:slug>/tables/file/", tables.download_tables, name="project-tables-file"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/", reports.show_report, name="round-report"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/start/", reports.start_report, name="round-report-start"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/file/", reports.download_report, name="round-report-file"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/disagreements/", reports.disagreement_list, name="round-disagreements"),
]
