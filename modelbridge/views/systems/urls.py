"""URLs of the pages of systems."""

from django.urls import URLPattern, path

from modelbridge.views.systems import systems

project_urls: list[URLPattern] = [
    path("systems/", systems.system_list, name="systems"),
    path("systems/new/", systems.new_system, name="system-new"),
    path("systems/shipped/", systems.add_shipped, name="system-shipped"),
    path("systems/<uuid:public_id>/", systems.show_system, name="system"),
]
