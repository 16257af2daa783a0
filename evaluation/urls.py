"""The pages of rounds. Every name here stands in the access matrix of tests/pages."""

from django.urls import URLPattern, path

from evaluation.views import rating, reports, rounds, tables

urlpatterns: list[URLPattern] = [
    path("p/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("p/<slug:slug>/rounds/new/", rounds.new_round, name="round-new"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/", rounds.one_round, name="round"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/judgements/", rounds.judgements_of, name="round-judgements"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/design/", rounds.design_of, name="round-design"),
    path("p/<slug:slug>/rating/", rating.rounds_of_mine, name="rating"),
    path("rating/<uuid:public_id>/instructions/", rating.instructions, name="round-instructions"),
    path("rating/<uuid:public_id>/qualification/", rating.qualification, name="round-qualification"),
    path("rating/<uuid:public_id>/next/", rating.next_item, name="next-item"),
    path("items/<uuid:public_id>/", rating.item, name="item"),
    path("p/<slug:slug>/tables/", tables.tables, name="project-tables"),
    path("p/<slug:slug>/tables/file/", tables.tables_file, name="project-tables-file"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/", reports.report, name="round-report"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/start/", reports.start, name="round-report-start"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/report/file/", reports.file, name="round-report-file"),
    path("p/<slug:slug>/rounds/<uuid:public_id>/disagreements/", reports.disagreements, name="round-disagreements"),
]
