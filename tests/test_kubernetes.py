"""The manifests for Kubernetes: sound by its schemas, and the same parts and settings as compose.yaml."""

import copy
import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.test import Client

from tests.test_compose import ROOT, SERVICES, filled

FOLDER = ROOT / "deploy" / "kubernetes"
VERSION = "1.31"
FILES = sorted(FOLDER.rglob("*.yaml"))
BUILT_BY = {"Kustomization", "Component"}
"""What kustomize reads itself; no schema of Kubernetes has it."""
SECRET = re.compile(r"SECRET|PASSWORD$|TOKEN|_URL$")
POLICIES = ("epitome-closed", "epitome-web")
OF_A_POD = {"EPITOME_WORKERS"}
"""Set beside the common settings: what the size of a machine decides elsewhere."""


def read_documents(path: Path) -> list[dict[str, Any]]:
    return [entry for entry in yaml.safe_load_all(path.read_text(encoding="utf-8")) if entry]


MANIFESTS = {
    (entry["kind"], entry["metadata"]["name"]): entry
    for path in FILES
    for entry in read_documents(path)
    if entry["kind"] not in BUILT_BY
}
WORKLOADS = {name: entry for (kind, name), entry in MANIFESTS.items() if kind in ("Deployment", "Job")}
WORKERS = {name: entry for name, entry in WORKLOADS.items() if "worker" in name}


def pod_of(name: str) -> dict[str, Any]:
    return WORKLOADS[name]["spec"]["template"]["spec"]


def container_of(name: str) -> dict[str, Any]:
    (container,) = pod_of(name)["containers"]
    return container


def check(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, VERSION, strict=True)


@pytest.mark.parametrize("key", MANIFESTS, ids="-".join)
def test_every_manifest_is_sound(key):
    check(MANIFESTS[key])


@pytest.mark.parametrize(
    ("key", "place", "value"),
    [
        (("Deployment", "epitome-web"), ("spec", "replicas"), "two"),
        (("Deployment", "epitome-web"), ("spec", "template", "spec", "containers", 0, "readinesProbe"), {}),
        (("Service", "epitome-web"), ("spec", "ports", 0, "port"), "http"),
        (("Job", "epitome-prepare"), ("spec", "template", "spec", "containers", 0, "securityContext"), [True]),
    ],
)
def test_a_planted_fault_is_found(key, place, value):
    manifest = copy.deepcopy(MANIFESTS[key])
    inner: Any = manifest
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(kubernetes_validate.ValidationError):
        check(manifest)


def test_what_is_applied_is_every_file_but_the_examples():
    for folder in (FOLDER, FOLDER / "gpu"):
        ((kustomization),) = read_documents(folder / "kustomization.yaml")
        files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
        assert set(kustomization["resources"]) == {name for name in files if ".example." not in name}
    (main,) = read_documents(FOLDER / "kustomization.yaml")
    assert [image["name"] for image in main["images"]] == ["epitome"]
    assert not any("namespace" in entry["metadata"] for entry in MANIFESTS.values())


def test_settings_are_those_of_compose_and_secrets_are_in_the_secret():
    settings = MANIFESTS["ConfigMap", "epitome-settings"]["data"]
    secrets = MANIFESTS["Secret", "epitome-secrets"]["stringData"]

    assert settings.keys() | secrets.keys() == SERVICES["web"]["environment"].keys()
    assert not settings.keys() & secrets.keys()
    assert {name for name in settings if SECRET.search(name)} == set()
    assert {name for name in secrets if not SECRET.search(name)} == set()
    assert not [name for name, value in secrets.items() if value and "PASSWORD@" not in value], "an example only"


def test_settings_that_compose_gives_a_value_have_the_same_here():
    settings = MANIFESTS["ConfigMap", "epitome-settings"]["data"]
    fields = {"EPITOME_BEHIND_PROXY": "1"}  # an ingress always is
    by_key = {name: filled(value) for name, value in SERVICES["web"]["environment"].items() if name in settings}
    assert settings == by_key | fields


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_part_has_the_image_the_settings_and_no_rights(name):
    container, pod = container_of(name), pod_of(name)

    assert container["image"] == "epitome" == filled(SERVICES["web"]["image"])
    sources = [next(iter(source.values()))["name"] for source in container["envFrom"]]
    assert sources == ["epitome-settings", "epitome-secrets"]
    assert {entry["name"] for entry in container.get("env", [])} <= OF_A_POD
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 10001
    assert "--uid 10001" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"] and rights["capabilities"] == {"drop": ["ALL"]}
    assert rights["allowPrivilegeEscalation"] is False
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts.keys() == {"/data", "/tmp"} and set(mounts.values()) == {entry["name"] for entry in pod["volumes"]}
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}


def test_commands_and_times_to_stop_are_those_of_compose():
    assert "command" not in container_of("epitome-web") and "command" not in SERVICES["web"]
    assert container_of("epitome-prepare")["command"] == SERVICES["prepare"]["command"]
    queues = {name: container_of(name)["command"][4] for name in WORKERS}
    together = ",".join((queues["epitome-worker-default"], queues["epitome-worker-text"]))
    cpu, gpu = (SERVICES[f"worker-{kind}"] for kind in ("cpu", "gpu"))
    for name in ("epitome-worker-default", "epitome-worker-text"):
        command = container_of(name)["command"]
        assert [*command[:4], together, *command[5:]] == cpu["command"]
    assert container_of("epitome-worker-gpu")["command"] == gpu["command"]
    for name in WORKERS:
        assert f"{pod_of(name)['terminationGracePeriodSeconds']}s" == cpu["stop_grace_period"]
        _how, *command = cpu["healthcheck"]["test"]
        assert container_of(name)["livenessProbe"]["exec"]["command"] == command
    assert container_of("epitome-worker-gpu")["resources"]["limits"]["nvidia.com/gpu"] == 1


def test_the_site_is_reached_and_asked_where_it_listens(db):
    web = container_of("epitome-web")
    (port,) = web["ports"]
    _compose_host, _outside, inside = SERVICES["web"]["ports"][0].rsplit(":", 2)
    assert str(port["containerPort"]) == inside and "0.0.0.0:8000" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    by_key = {kind: web[kind]["httpGet"] for kind in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert {ask["port"] for ask in by_key.values()} == {port["name"]}
    assert by_key["readinessProbe"]["path"] == "/readyz" and "/readyz" in SERVICES["web"]["healthcheck"]["test"][-1]
    assert [Client().get(ask["path"]).status_code for ask in by_key.values()] == [200, 200, 200]
    (service_port,) = MANIFESTS["Service", "epitome-web"]["spec"]["ports"]
    assert service_port["targetPort"] == port["name"]
    (rule,) = MANIFESTS["Ingress", "epitome"]["spec"]["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "epitome-web", "port": {"name": service_port["name"]}}
    (allowed,) = MANIFESTS["NetworkPolicy", "epitome-web"]["spec"]["ingress"]
    assert allowed["ports"] == [{"port": port["name"]}]


def test_selectors_find_the_pods_that_they_mean():
    labels = {name: entry["spec"]["template"]["metadata"]["labels"] for name, entry in WORKLOADS.items()}

    def find(selector: dict[str, str]) -> set[str]:
        return {name for name, value in labels.items() if selector.items() <= value.items()}

    for name, entry in WORKLOADS.items():
        if entry["kind"] == "Deployment":
            assert find(entry["spec"]["selector"]["matchLabels"]) == {name}
    assert find(MANIFESTS["Service", "epitome-web"]["spec"]["selector"]) == {"epitome-web"}
    assert find(MANIFESTS["PodDisruptionBudget", "epitome-web"]["spec"]["selector"]["matchLabels"]) == {"epitome-web"}
    policies = {name: find(MANIFESTS["NetworkPolicy", name]["spec"]["podSelector"]["matchLabels"]) for name in POLICIES}
    assert policies == {"epitome-closed": set(WORKLOADS), "epitome-web": {"epitome-web"}}


def test_a_volume_that_is_named_is_there():
    claims = {
        volume["persistentVolumeClaim"]["claimName"]
        for name in WORKLOADS
        for volume in pod_of(name)["volumes"]
        if "persistentVolumeClaim" in volume
    }
    assert claims == {"epitome-data"} == {name for kind, name in MANIFESTS if kind == "PersistentVolumeClaim"}
