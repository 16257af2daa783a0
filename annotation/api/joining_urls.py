"""URLs for invitations, crowd links, withdrawals, and bulk actions on members and tasks."""

from django.urls import URLPattern, URLResolver, path

from annotation.api import joining, steering

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{PROJECT}invitations/", joining.Invitations.as_view(), name="api-invitations"),
    path("invitations/<uuid:public_id>/revoke/", joining.InvitationRevoke.as_view(), name="api-invitation-revoke"),
    path(f"{PROJECT}crowd-links/", joining.CrowdLinks.as_view(), name="api-crowd-links"),
    path("crowd-links/<uuid:public_id>/close/", joining.CrowdLinkClose.as_view(), name="api-crowd-link-close"),
    path(f"{PROJECT}crowd-workers/", joining.CrowdWorkers.as_view(), name="api-crowd-workers"),
    path(f"{PROJECT}members/bulk/", joining.MembersBulk.as_view(), name="api-members-bulk"),
    path(f"{PROJECT}withdrawals/", joining.Withdrawals.as_view(), name="api-withdrawals"),
    path(f"{PROJECT}withdrawals/preview/", joining.WithdrawalPreview.as_view(), name="api-withdrawal-preview"),
    path(f"{PROJECT}steering/", steering.Steering.as_view(), name="api-steering"),
    path(f"{PROJECT}steering/preview/", steering.SteeringPreview.as_view(), name="api-steering-preview"),
    path("steering/<uuid:public_id>/undo/", steering.SteeringUndo.as_view(), name="api-steering-undo"),
    path(f"{PROJECT}freeze/", steering.Freeze.as_view(), name="api-freeze"),
]
