"""URLs of the pages. Every name must be in the access matrix of tests/pages, or that test fails."""

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
    path("join/<str:token>/", joining.open_invitation, name="join"),
    path("take-part/<str:token>/", joining.open_crowd_link, name="take-part"),
    path("sign-out/", accounts.SignOut.as_view(), name="sign-out"),
    path("password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("password/changed/", accounts.PasswordChangeDone.as_view(), name="password_change_done"),
    path("password/reset/", accounts.PasswordReset.as_view(), name="password_reset"),
    path("password/reset/sent/", accounts.PasswordResetDone.as_view(), name="password_reset_done"),
    path("password/reset/<uidb64>/<token>/", accounts.PasswordResetConfirm.as_view(), name="password_reset_confirm"),
    path("password/reset/finished/", accounts.PasswordResetComplete.as_view(), name="password_reset_complete"),
    path("theme/", accounts.set_theme, name="theme"),
]

site_urls: list[URLPattern | URLResolver] = [
    path("", home.home_page, name="home"),
    path("projects/new/", projects.new_project, name="project-new"),
    path("tokens/", tokens.token_list, name="tokens"),
    path("tokens/<uuid:public_id>/revoke/", tokens.revoke_token, name="token-revoke"),
    path("jobs/<uuid:public_id>/", jobs.show_job, name="job"),
    path("jobs/<uuid:public_id>/state/", jobs.job_state, name="job-state"),
    path("jobs/<uuid:public_id>/download/", jobs.download_file, name="job-download"),
]

project_urls: list[URLPattern | URLResolver] = [
    path("", dashboard.dashboard_page, name="project"),
    path("annotations/", annotations.annotation_list, name="annotations"),
    path("skips/", steering.skip_list, name="skips"),
    path("ledger/", steering.show_ledger, name="ledger"),
    path("ledger/file/", steering.download_ledger, name="ledger-file"),
    path("steering/", steering.steering_page, name="steering"),
    path("sources/", documents.source_list, name="documents"),
    path("sources/select/", selection.select_sources, name="select"),
    path("sources/<uuid:public_id>/", documents.show_source, name="document"),
    path("import/", imports.import_sources, name="import"),
    path("jobs/", jobs.job_list, name="jobs"),
    path("samples/", samples.sample_list, name="samples"),
    path("samples/draw/", samples.draw_samples, name="draw"),
    path("samples/extract/", samples.extract_candidates, name="extract"),
    path("statistics/", statistics.statistics_page, name="statistics"),
    path("statistics/start/", statistics.start_statistics, name="statistics-start"),
    path("statistics/file/", statistics.download_table, name="statistics-file"),
    path("export/", exports.export_dataset, name="export"),
    path("members/", members.member_list, name="members"),
    path("members/invitations/", joining_links.invitation_links, name="invitations"),
    path("members/crowd/", joining_links.crowd_links, name="crowd-links"),
    path("members/withdrawals/", withdrawals.manage_withdrawals, name="withdrawals"),
    path("completion/", joining.show_completion, name="completion"),
    path("schema/", setup.edit_schema, name="schema"),
    path("guideline/edit/", setup.edit_guideline, name="project-guideline"),
    path("settings/", projects.edit_settings, name="project-settings"),
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
