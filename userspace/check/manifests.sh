#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The files for containers: they ask for no more than the manual says, and fit each other, the
# exporter and its metrics.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/suite.sh"

USERSPACE=$(cd "$(dirname "$0")/.." && pwd)
files=$USERSPACE/containers
manual=$USERSPACE/../docs/containers.md
python3 -c 'import yaml' 2> /dev/null || {
	skip 'files for containers' 'there is no module yaml of Python (apt-get install python3-yaml)'
	finish
	exit
}

cat > "$TMP/manifests.py" << 'END'
import json, re, sys, yaml

def read(name):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
        return list(yaml.safe_load_all(file)) if name.endswith("yaml") else json.load(file)

def keys(of):
    """All keys at any depth, with their values."""
    for key, value in of.items() if isinstance(of, dict) else enumerate(of):
        yield key, value
        if isinstance(value, (dict, list)):
            yield from keys(value)

daemon, policy = read("daemonset.yaml")
modules = {one["kind"]: one for one in read("module.yaml")}
cdi = read("topdown-cdi.json")
with open(sys.argv[2], encoding="utf-8") as file:
    blocks = re.findall(r"(?m)^    apiVersion: .*\n(?:    .*\n)+", file.read())
[quota] = [one for block in blocks for one in yaml.safe_load_all(block)
           if one["kind"] == "ResourceQuota"]
pod = daemon["spec"]["template"]["spec"]
[container] = pod["containers"]
security = container["securityContext"]
plugin = json.loads(modules["Module"]["spec"]["devicePlugin"]["container"]["args"][1])
build = modules["Module"]["spec"]["moduleLoader"]["container"]["kernelMappings"][0]["build"]
forbidden = {"privileged", "hostPID", "hostIPC", "hostNetwork", "hostPath", "volumes", "procMount"}

checks = {
    "nothing is privileged": not forbidden & {key for one in (daemon, policy, *modules.values())
                                              for key, _ in keys(one)},
    "one capability": security["capabilities"] == {"drop": ["ALL"], "add": ["PERFMON"]},
    "there is no way to other capabilities": security.get("allowPrivilegeEscalation") is False
                            and security["readOnlyRootFilesystem"] is True
                            and security["seccompProfile"]["type"] == "RuntimeDefault",
    "the capability is that of root of the first user namespace": security["runAsUser"] == 0
                                                       and pod["hostUsers"] is True,
    "no token": pod.get("automountServiceAccountToken") is False,
    "the selector finds the pod": daemon["spec"]["selector"]["matchLabels"]
                                  == daemon["spec"]["template"]["metadata"]["labels"],
    "the scraper finds the port": daemon["spec"]["template"]["metadata"]["annotations"]
        ["prometheus.io/port"] == str(container["ports"][0]["containerPort"]) == "18673",
    "the policy is that of the pod": policy["kind"] == "NetworkPolicy"
        and policy["apiVersion"] == "networking.k8s.io/v1"
        and policy["spec"]["podSelector"] == daemon["spec"]["selector"],
    "one namespace reaches the port, and nothing else": policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
        and "egress" not in policy["spec"] and policy["spec"]["ingress"] == [{
            "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
            "ports": [{"protocol": "TCP", "port": container["ports"][0]["containerPort"]}]}],
    "the device plugin has what the pod wants":
        container["resources"]["limits"][f"squat.ai/{plugin['name']}"] == 1
        and plugin["groups"][0]["count"] > 1,
    "the plugin gives the device": plugin["groups"][0]["paths"] == [{"path": "/dev/topdown"}],
    "CDI has the same": [node["path"] for device in cdi["devices"]
                         for node in device["containerEdits"]["deviceNodes"]] == ["/dev/topdown"],
    "CDI gives nothing else": set(cdi["devices"][0]["containerEdits"]) == {"deviceNodes"},
    # A resource that is not Kubernetes' own has quotas of requests only.
    "the quota of the manual forbids what the plugin gives": quota["apiVersion"] == "v1"
        and quota["spec"] == {"hard": {f"requests.squat.ai/{plugin['name']}": "0"}},
    "images have a registry and a tag that stays": all(
        re.fullmatch(r"[a-z.]+\.[a-z]+/[^:]+:(?!latest$)[^:]+", image)
        for image in (container["image"], modules["Module"]["spec"]["devicePlugin"]["container"]["image"])),
    "the module is built from what is there":
        build["dockerfileConfigMap"]["name"] == modules["ConfigMap"]["metadata"]["name"]
        and "dockerfile" in modules["ConfigMap"]["data"],
}
for name, good in checks.items():
    print("ok" if good else "not ok", "-", name)
print(" ".join(container["args"]), file=sys.stderr)
END

# judge DIRECTORY: a line for each check
judge() { python3 "$TMP/manifests.py" "$1" "$manual" > "$TMP/judged" 2> "$TMP/args"; }
judge "$files" || true
while read -r line; do
	[[ $line == ok* ]] && bad=0 || bad=1
	result "$bad" "${line#*ok - }"
done < "$TMP/judged"
result "$(($(lines "$TMP/judged") != 16))" 'all of this was checked'

# Rights that are too many are noticed.
while read -r file from to; do
	rm -rf "$TMP/broken"
	cp -r "$files" "$TMP/broken"
	sed -i "s|$from|$to|" "$TMP/broken/$file"
	judge "$TMP/broken" || true
	result "$(! cmp -s "$files/$file" "$TMP/broken/$file" && grep -q '^not ok' "$TMP/judged"; echo $?)" \
		"not so with $to"
done << 'END'
daemonset.yaml automountServiceAccountToken:.false hostPID: true
daemonset.yaml allowPrivilegeEscalation:.false privileged: true
daemonset.yaml add:..PERFMON. add: [SYS_ADMIN]
daemonset.yaml hostUsers:.true hostUsers: false
daemonset.yaml kubernetes.io/metadata.name:.monitoring app: prometheus
daemonset.yaml port:.18673 port: 8080
module.yaml /dev/topdown /dev/mem
module.yaml registry.example/generic generic
module.yaml plugin:1.0 plugin
module.yaml plugin:1.0 plugin:latest
topdown-cdi.json /dev/topdown /dev/topdown0
END

# The manual says what a namespace, a terminal and a runtime need.
result "$(grep -q 'pod-security.kubernetes.io/enforce=privileged' "$manual" && grep -q 'pod-security.kubernetes.io/enforce: privileged' "$files/daemonset.yaml"; echo $?)" \
	'the label of the namespace'
result "$(grep -q 'run .*IMAGE top ' "$manual" && ! grep 'run .*IMAGE top ' "$manual" | grep -v -- 'run -it '; echo $?)" \
	'a terminal for topdown top'

# The exporter takes these words, and its port is that of the pod.
export FAKE_FEATURES=$((1 << 16 | 1023)) FAKE_TICK=0
judge "$files"
read -ra args < "$TMP/args"
result "$([[ ${args[0]} == export ]]; echo $?)" 'the pod exports'
port=$((20000 + RANDOM % 20000))
fake export "${args[@]:1}" --address 127.0.0.1 --port "$port" 2> "$TMP/err" &
job=$!
answers() { exec 3<> "/dev/tcp/127.0.0.1/$port"; } 2> /dev/null
if await answers; then
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
	cat <&3 > "$TMP/scraped"
fi
kill "$job" 2> /dev/null || true
wait "$job" || true
result "$(grep -q '^topdown_cgroup_slots_total{id="/a' "$TMP/scraped"; echo $?)" 'with these options, cgroups too'

# Names for OpenTelemetry stand for metrics that there are, and each that counts has one.
# shellcheck disable=SC2016 # the quotes of Markdown
sed -nE 's/^\| `(topdown\.[a-z0-9_.]+)` .*\| `(topdown_[a-z0-9_]+)` .*/\1 \2/p' "$USERSPACE/../docs/containers.md" > "$TMP/names"
sed -nE 's/^# TYPE (topdown_[a-z0-9_]+) .*/\1/p' "$USERSPACE"/check/cli/golden/export{,-cgroups}.txt |
	sort -u > "$TMP/metrics"
while read -r name metric; do
	grep -qx "$metric" "$TMP/metrics" || echo "$name $metric"
done < "$TMP/names" > "$TMP/unknown"
result "$([[ ! -s $TMP/unknown && -s $TMP/names ]]; echo $?)" "OpenTelemetry: metrics that there are $(paste -sd' ' "$TMP/unknown")"
grep -E '_total$' "$TMP/metrics" | grep -vxFf <(cut -d' ' -f2 "$TMP/names") > "$TMP/unnamed" || true
result "$([[ ! -s $TMP/unnamed ]]; echo $?)" "OpenTelemetry: a name of each $(paste -sd' ' "$TMP/unnamed")"
result "$([[ -z $(cut -d' ' -f1 "$TMP/names" | sort | uniq -d) ]]; echo $?)" 'OpenTelemetry has no name of two'
finish
