"""The pages. Every name here stands in the access matrix of tests/pages; a page that is missing there fails it."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.views import (
    accounts,
    annotations,
    dashboard,
    documents,
    exports,
    home,
    imports,
    jobs,
    joining,
    joining_links,
    members,
    projects,
    samples,
    second_factor,
    selection,
    setup,
    statistics,
    steering,
    tokens,
    withdrawals,
)
from annotation.views.inspection_urls import urlpatterns as inspection_urls
from annotation.views.pilot_urls import urlpatterns as pilot_urls
from annotation.views.task_urls import urlpatterns as task_urls

accounts_urls: list[URLPattern | URLResolver] = [
    path("sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("sign-in/code/", second_factor.sign_in_code, name="sign-in-code"),
    path("second-factor/", second_factor.second_factor, name="second-factor"),
    path("join/<str:token>/", joining.join, name="join"),
    path("take-part/<str:token>/", joining.take_part, name="take-part"),
    path("sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("password/changed/", accounts.PasswordChangeDone.as_view(), name="password_change_done"),
    path("password/reset/", accounts.PasswordReset.as_view(), name="password_reset"),
    path("password/reset/sent/", accounts.PasswordResetDone.as_view(), name="password_reset_done"),
    path("password/reset/<uidb64>/<token>/", accounts.PasswordResetConfirm.as_view(), name="password_reset_confirm"),
    path("password/reset/finished/", accounts.PasswordResetComplete.as_view(), name="password_reset_complete"),
    path("theme/", accounts.theme, name="theme"),
]

site_urls: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("projects/new/", projects.new_project, name="project-new"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<uuid:public_id>/revoke/", tokens.revoke, name="token-revoke"),
    path("jobs/<uuid:public_id>/", jobs.job, name="job"),
    path("jobs/<uuid:public_id>/state/", jobs.job_state, name="job-state"),
    path("jobs/<uuid:public_id>/download/", jobs.download, name="job-download"),
]

project_urls: list[URLPattern | URLResolver] = [
    path("", dashboard.dashboard_page, name="project"),
    path("annotations/", annotations.annotations, name="annotations"),
    path("skips/", steering.skips, name="skips"),
    path("ledger/", steering.ledger, name="ledger"),
    path("ledger/file/", steering.ledger_file, name="ledger-file"),
    path("steering/", steering.steering, name="steering"),
    path("sources/", documents.documents, name="documents"),
    path("sources/select/", selection.select, name="select"),
    path("sources/<uuid:public_id>/", documents.document, name="document"),
    path("import/", imports.import_sources, name="import"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("samples/", samples.samples, name="samples"),
    path("samples/draw/", samples.draw, name="draw"),
    path("samples/extract/", samples.extract, name="extract"),
    path("statistics/", statistics.statistics, name="statistics"),
    path("statistics/start/", statistics.start, name="statistics-start"),
    path("statistics/file/", statistics.download, name="statistics-file"),
    path("export/", exports.export, name="export"),
    path("members/", members.members, name="members"),
    path("members/invitations/", joining_links.invitations, name="invitations"),
    path("members/crowd/", joining_links.crowd_links, name="crowd-links"),
    path("members/withdrawals/", withdrawals.withdrawals, name="withdrawals"),
    path("completion/", joining.completion, name="completion"),
    path("schema/", setup.schema, name="schema"),
    path("guideline/edit/", setup.guideline, name="project-guideline"),
    path("settings/", projects.settings, name="project-settings"),
    path("audit/", projects.audit_log, name="audit"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    *accounts_urls,
    *site_urls,
    path("p/<slug:slug>/", include(project_urls)),
    *task_urls,
    *inspection_urls,
    *pilot_urls,
]
