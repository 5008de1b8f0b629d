"""The files in `cluster/`: right by Ray's and Kubernetes' own schemas, and by what they name."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import kubernetes_validate
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
CLUSTER = ROOT / "cluster"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LAUNCHER = ("own-machines.yaml", "aws.yaml")
KUBERAY = ("raycluster.yaml", "rayjob.yaml")
README = (CLUSTER / "README.md").read_text()
DOCKERFILE = (CLUSTER / "Dockerfile").read_text()
pytestmark = pytest.mark.filterwarnings("ignore:Using extra keyword arguments")  # in Ray's own


def load(name):
    return yaml.safe_load((CLUSTER / name).read_text())


# Ray's cluster launcher.


def prepared(config):
    """Return a launcher's file as Ray completes it, checked by Ray's own schema."""
    from ray.autoscaler._private.util import prepare_config, validate_config

    complete = prepare_config(config)
    validate_config(complete)
    return complete


@pytest.mark.parametrize("name", LAUNCHER)
def test_ray_takes_the_launchers_file(name):
    assert prepared(load(name))["cluster_name"] == "dojo-sweep"


@pytest.mark.parametrize("name", LAUNCHER)
def test_ray_would_refuse_a_key_it_does_not_know(name):
    with pytest.raises(jsonschema.ValidationError, match="idle_minutes"):
        prepared({**load(name), "idle_minutes": 5})


def test_all_own_machines_join():
    config = load("own-machines.yaml")
    assert config["min_workers"] == config["max_workers"] == len(config["provider"]["worker_ips"])


def test_the_clouds_workers_come_and_go_on_spare_capacity_and_the_head_plays_nothing():
    types = prepared(load("aws.yaml"))["available_node_types"]
    worker = types["worker"]
    assert worker["min_workers"] < worker["max_workers"] == load("aws.yaml")["max_workers"]
    assert worker["node_config"]["InstanceMarketOptions"] == {"MarketType": "spot"}
    assert types["head"]["resources"] == {"CPU": 0}


@pytest.mark.parametrize("name", LAUNCHER)
def test_every_node_gets_what_is_installed_on_it(name):
    config = load(name)
    wheel = f"dojo_sweep-{PROJECT['version']}-py3-none-any.whl"
    assert config["file_mounts"][f"~/{wheel}"] == f"dist/{wheel}"
    assert f"~/{wheel}" in config["setup_commands"][-1]


@pytest.mark.parametrize("name", LAUNCHER)
def test_every_node_starts_with_the_clusters_token(name):
    config = load(name)
    assert "~/.ray/auth_token" in config["file_mounts"]
    for group in ("head_start_ray_commands", "worker_start_ray_commands"):
        assert "RAY_AUTH_MODE=token" in config[group][-1]


@pytest.mark.parametrize("name", LAUNCHER)
def test_the_commands_that_start_ray_have_options_that_ray_knows(name):
    config = load(name)
    for group in ("head_start_ray_commands", "worker_start_ray_commands"):
        for line in config[group]:
            check_ray(shlex.split(line[line.index("ray st") :].replace("$RAY_HEAD_IP", "10.0.0.1")))


# KubeRay. Its own definitions embed the whole of a pod; here are the names that stand around the
# pods, out of helm-chart/kuberay-operator/crds of ray-project/kuberay v1.7.0 (Apache-2.0).


def fields(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TEXT, FLAG, WHOLE, ANY = (
    {"type": "string"},
    {"type": "boolean"},
    {"type": "integer", "minimum": 0},
    {"type": "object"},
)
TEXTS = {"type": "object", "additionalProperties": TEXT}
GROUP = {"rayStartParams": TEXTS, "template": ANY, "labels": TEXTS, "resources": TEXTS}
RAY_CLUSTER = fields(
    ["headGroupSpec"],
    rayVersion=TEXT,
    enableInTreeAutoscaling=FLAG,
    suspend=FLAG,
    authOptions=fields(mode={"enum": ["disabled", "token"]}, secretName=TEXT),
    autoscalerOptions=fields(
        idleTimeoutSeconds=WHOLE, upscalingMode={"enum": ["Default", "Aggressive", "Conservative"]}
    ),
    headGroupSpec=fields(["template"], serviceType=TEXT, enableIngress=FLAG, **GROUP),
    workerGroupSpecs={
        "type": "array",
        "items": fields(
            ["groupName", "maxReplicas", "minReplicas", "template"],
            groupName=TEXT,
            replicas=WHOLE,
            minReplicas=WHOLE,
            maxReplicas=WHOLE,
            numOfHosts=WHOLE,
            idleTimeoutSeconds=WHOLE,
            suspend=FLAG,
            **GROUP,
        ),
    },
)
RAY_JOB = fields(
    entrypoint=TEXT,
    rayClusterSpec=RAY_CLUSTER,
    runtimeEnvYAML=TEXT,
    jobId=TEXT,
    metadata=TEXTS,
    submissionMode={"enum": ["K8sJobMode", "HTTPMode", "InteractiveMode", "SidecarMode"]},
    shutdownAfterJobFinishes=FLAG,
    ttlSecondsAfterFinished=WHOLE,
    activeDeadlineSeconds=WHOLE,
    backoffLimit=WHOLE,
    suspend=FLAG,
)
SPECS = {"RayCluster": RAY_CLUSTER, "RayJob": RAY_JOB}


def check_kuberay(content):
    """Check a manifest: the names around the pods, and the pods by Kubernetes' own schema."""
    metadata = fields(["name"], name=TEXT, namespace=TEXT, labels=TEXTS, annotations=TEXTS)
    schema = fields(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": "ray.io/v1"},
        kind={"enum": sorted(SPECS)},
        metadata=metadata,
        spec=SPECS[content["kind"]],
    )
    jsonschema.validate(content, schema)
    for template in templates(content):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, **template}
        version = kubernetes_validate.latest_version()
        kubernetes_validate.validate(pod, version, strict=True)


def cluster_spec(content):
    return content["spec"].get("rayClusterSpec", content["spec"])


def templates(content):
    spec = cluster_spec(content)
    groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    return [group["template"] for group in groups]


def containers(content):
    return [one for template in templates(content) for one in template["spec"]["containers"]]


@pytest.mark.parametrize("name", KUBERAY)
def test_kuberay_and_kubernetes_know_every_field(name):
    check_kuberay(load(name))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda content: cluster_spec(content).update(rayVersions="2"), "rayVersions"),
        (lambda content: cluster_spec(content)["workerGroupSpecs"][0].pop("minReplicas"), "minR"),
        (lambda content: containers(content)[0].update(imagePolicy="Always"), "imagePolicy"),
        (lambda content: containers(content)[0]["ports"][0].update(containerPort="x"), "'x'"),
        (lambda content: cluster_spec(content)["headGroupSpec"].update(cpu=2), "cpu"),
    ],
)
@pytest.mark.parametrize("name", KUBERAY)
def test_a_wrong_field_would_be_found(name, change, complaint):
    content = load(name)
    change(content)
    with pytest.raises(Exception, match=complaint):
        check_kuberay(content)


@pytest.mark.parametrize("name", KUBERAY)
def test_pods_do_not_run_as_root_and_say_what_they_need(name):
    content = load(name)
    for template in templates(content):
        assert template["spec"]["securityContext"]["runAsNonRoot"] is True
    for container in containers(content):
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert {"name": "NUMBA_NUM_THREADS", "value": "1"} in container["env"]


def test_both_manifests_bring_up_the_same_workers():
    one, other = (cluster_spec(load(name))["workerGroupSpecs"] for name in KUBERAY)
    assert one == other


def test_the_jobs_grid_is_mounted_where_its_command_reads_it():
    content = load("rayjob.yaml")
    _, _, line = shlex.split(content["spec"]["entrypoint"])
    words = shlex.split(line.split(" || ")[0])
    check_dojo_sweep(words)
    (mount,) = containers(content)[0]["volumeMounts"]
    assert words[2].startswith(f"{mount['mountPath']}/")
    assert {"name": mount["name"], "configMap": {"name": "dojo-sweep-grid"}} in (
        templates(content)[0]["spec"]["volumes"]
    )


@pytest.mark.parametrize(("code", "ended"), [(0, 0), (2, 0), (3, 1)])
def test_the_job_begins_again_but_not_for_a_grid_that_cannot_be_used(tmp_path, code, ended):
    stand_in = tmp_path / "dojo-sweep"
    stand_in.write_text(f"#!/bin/sh\nexit {code}\n")
    stand_in.chmod(0o755)
    entrypoint = load("rayjob.yaml")["spec"]["entrypoint"]
    handed_over = shlex.join(shlex.split(entrypoint))  # by KubeRay's shell and Ray's own command
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(handed_over, shell=True, env={"PATH": path}, check=False)
    assert ran.returncode == ended


# The image.


def copy_sources():
    lines = re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.M)
    return {source for line in lines for source in line.split()[:-1]}


def test_every_source_of_the_image_is_there_and_sent_to_docker():
    ignored = (CLUSTER / "Dockerfile.dockerignore").read_text().split()
    sent = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    copied = copy_sources()
    assert copied == sent
    assert all((ROOT / source).exists() for source in copied)


def test_the_image_has_all_that_the_wheel_is_built_of():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], PROJECT["readme"], "pyproject.toml"}
    needed |= set(PROJECT["license-files"])
    assert needed == copy_sources()


def test_the_image_does_not_run_as_root_and_its_commands_are_there():
    assert re.findall(r"^USER (\d+)$", DOCKERFILE, re.M) == ["1000"]
    line = re.search(r"^RUN (dojo bench [^&]*)&&", DOCKERFILE, re.M)[1]
    check_dojo(shlex.split(line))
    assert 'CMD ["dojo-sweep", "--help"]' in DOCKERFILE


def test_the_images_cache_holds_on_any_processor():
    assert "NUMBA_CPU_NAME=generic" in DOCKERFILE
    assert "DOJO_CACHE=" in DOCKERFILE


@pytest.mark.skipif(
    not shutil.which("docker")
    or subprocess.run(["docker", "info"], capture_output=True).returncode,
    reason="Docker does not run here",
)
def test_the_image_is_built_and_plays_without_compiling():
    tag = "dojo-sweep:test"
    words = ["docker", "build", "-q", "-f", str(CLUSTER / "Dockerfile"), "-t", tag, str(ROOT)]
    subprocess.run(words, check=True)
    count = "find $DOJO_CACHE -name '*.nb*' | wc -l"
    script = f"{count}; dojo bench --no-compile --seconds 0.01 --players 4 >/dev/null; {count}"
    ran = subprocess.run(
        ["docker", "run", "--rm", tag, "sh", "-c", script],
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = ran.stdout.split()
    assert before == after != "0"


# Versions.


def test_every_file_names_the_same_ray_and_it_is_one_the_project_takes():
    found = re.findall(r"ray\[default\]==([\d.]+)", (CLUSTER / "own-machines.yaml").read_text())
    found += re.findall(r"ray\[default\]==([\d.]+)", (CLUSTER / "aws.yaml").read_text())
    found += re.findall(r"^ARG RAY=([\d.]+)", DOCKERFILE, re.M)
    found += [cluster_spec(load(name))["rayVersion"] for name in KUBERAY]
    found += re.findall(r"ray\[default\]==([\d.]+)", README)
    assert len(found) == 7
    (version,) = set(found)
    (ray,) = (Requirement(text) for text in PROJECT["dependencies"] if text.startswith("ray"))
    assert version in ray.specifier


def test_the_images_python_is_one_the_project_takes():
    (version,) = re.findall(r"^ARG PYTHON=([\d.]+)", DOCKERFILE, re.M)
    assert f"{version}.0" in SpecifierSet(PROJECT["requires-python"])


def test_the_images_name_carries_the_projects_version():
    tags = {container["image"] for name in KUBERAY for container in containers(load(name))}
    assert tags == {f"CHANGE-REGISTRY/dojo-sweep:{PROJECT['version']}"}
    assert f"-t {tags.pop()} ." in DOCKERFILE


# The how-to.


def commands(program):
    """Return the command lines of `program` in the how-to's blocks of shell."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    lines = [re.sub(r"^uv run( --with \w+)? ", "", line) for line in lines]
    return [shlex.split(line, comments=True) for line in lines if line.startswith(f"{program} ")]


def check_dojo_sweep(words):
    import typer.main

    from sweep.cli import app

    check_parsed(typer.main.get_command(app), words)


def check_dojo(words):
    import typer.main

    from dojo_core.cli import app

    check_parsed(typer.main.get_command(app), words)


def check_ray(words):
    from ray.scripts.scripts import cli

    check_parsed(cli, words)


def check_parsed(group, words):
    """Fail unless the command line's command and options exist; nothing is run."""
    context = group.make_context(words[0], words[1:])
    rest = context._protected_args + context.args
    _, command, rest = group.resolve_command(context, rest)
    command.make_context(command.name, list(rest), parent=context)


def test_the_how_tos_commands_of_dojo_sweep_exist():
    found = commands("dojo-sweep")
    assert {words[1] for words in found} >= {"run", "submit", "sql"}
    for words in found:
        check_dojo_sweep(words)


def test_the_how_tos_commands_of_ray_exist():
    found = commands("ray")
    assert {words[1] for words in found} >= {"start", "stop", "up", "down", "dashboard"}
    for words in found:
        check_ray(words)


def test_the_files_that_the_how_to_names_are_there_and_it_names_all():
    named = set(re.findall(r"(?<!/)cluster/([\w.-]+\w)", README))
    assert all((CLUSTER / name).exists() for name in named)
    assert {path.name for path in CLUSTER.iterdir()} - named == {
        "README.md",
        "Dockerfile.dockerignore",
    }


def test_the_sentences_that_the_how_to_explains_are_those_that_are_told():
    sources = " ".join(
        path.read_text()
        for package in ("sweep", "dojo_core")
        for path in (ROOT / package).rglob("*.py")
    )
    said = re.sub(r"\s+", " ", re.sub(r"\"\s+f?\"", "", sources))  # strings of several lines
    told = re.findall(r"^\| `([^`]*)` \|", README, re.M)
    assert len(told) >= 6
    for sentence in told:
        for part in sentence.split("…"):
            assert part.strip() in said, part


def test_what_is_to_be_filled_in_is_told_in_the_how_to():
    names = (*LAUNCHER, *KUBERAY, "Dockerfile")
    blanks = {b for n in names for b in re.findall(r"CHANGE-[A-Z0-9-]+", (CLUSTER / n).read_text())}
    assert {re.sub(r"-\d$", "", blank) for blank in blanks} <= set(
        re.findall(r"CHANGE-[A-Z-]*[A-Z]", README)
    )
