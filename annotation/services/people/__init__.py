"""Projects, their members, invitations, crowd links and quotas."""
