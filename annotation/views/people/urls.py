"""URLs of the pages of projects, members, invitations and crowd links."""

from django.urls import URLPattern, path

from annotation.views.people import (
    consent_pages,
    home,
    invitation_links,
    invitation_lists,
    join_pages,
    members,
    projects,
)

urlpatterns: list[URLPattern] = [
    path("join/<str:token>/", join_pages.open_invitation, name="join"),
    path("take-part/<str:token>/", join_pages.open_crowd_link, name="take-part"),
    path("", home.home_page, name="home"),
    path("projects/new/", projects.new_project, name="project-new"),
]

project_urls: list[URLPattern] = [
    path("members/", members.member_list, name="members"),
    path("members/invitations/", invitation_links.invitation_links, name="invitations"),
    path("members/invitations/many/", invitation_lists.invite_many, name="invite-many"),
    path("members/crowd/", invitation_links.crowd_links, name="crowd-links"),
    path("members/consent/", consent_pages.edit_consent, name="consent-edit"),
    path("consent/", consent_pages.show_consent, name="consent"),
    path("completion/", join_pages.show_completion, name="completion"),
    path("settings/", projects.edit_settings, name="project-settings"),
    path("audit/", projects.audit_log, name="audit"),
]
