// SPDX-License-Identifier: GPL-2.0
/*
 * Pods and containers that paths of cgroups name, in the layouts of runtimes.
 */
#include <stdio.h>
#include <string.h>

#include "../check.h"
#include "container.h"

#define ID	"3f4a0c91d5b2e87f6a1049c8bb7e55d20c9f8e7d6b5a493827160f5e4d3c2b1a"
#define UID	"0b6e2a3c-91d4-4f7a-8c25-5e1f0a9b7d43"
#define UNDER	"0b6e2a3c_91d4_4f7a_8c25_5e1f0a9b7d43"
#define STATIC	"7c1b9e0d4a5f62839ab0c1d2e3f40516"

/* Where the kubelet has a root of its own. */
#define KUBELET	"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/" \
		"kubelet-kubepods-burstable-pod"

static const struct {
	const char *path;
	const char *pod_uid;
	const char *id;
} paths[] = {
	/* Kubernetes, the driver of systemd. */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UNDER ".slice",
	  UID, "" },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UNDER
	  ".slice/cri-containerd-" ID ".scope", UID, ID },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UNDER
	  ".slice/crio-" ID ".scope", UID, ID },
	{ "/kubepods.slice/kubepods-pod" UNDER ".slice/docker-" ID ".scope", UID, ID },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC
	  ".slice/cri-containerd-" ID ".scope", STATIC, ID },
	{ KUBELET UNDER ".slice/cri-containerd-" ID ".scope", UID, ID },
	/* Below the container is the container's own, which its cgroup has too. */
	{ "/kubepods.slice/kubepods-pod" UNDER ".slice/cri-containerd-" ID ".scope/init", "", "" },
	{ "/kubepods.slice/kubepods-pod" UNDER ".slice/cri-containerd-" ID ".scope/docker/" ID,
	  "", ID },
	/* Conmon watches a container, and is none: its slots are in the pod's already. */
	{ "/kubepods.slice/kubepods-pod" UNDER ".slice/crio-conmon-" ID ".scope", "", "" },
	{ "/kubepods/burstable/pod" UID "/crio-conmon-" ID, "", "" },
	{ "/kubepods/burstable/pod" UID "/other", "", "" },
	/* Kubernetes, cgroupfs. */
	{ "/kubepods/burstable/pod" UID, UID, "" },
	{ "/kubepods/burstable/pod" UID "/" ID, UID, ID },
	{ "/kubepods/besteffort/pod" UID "/" ID, UID, ID },
	{ "/kubepods/pod" UID "/" ID, UID, ID },
	{ "/kubepods/burstable/pod" STATIC "/crio-" ID, STATIC, ID },
	{ "/kubelet/kubepods/besteffort/pod" UID "/" ID, UID, ID },
	{ "/kubepods/burstable/pod" UID "/" ID "/nested", "", "" },
	/* Other runtimes. */
	{ "/system.slice/docker-" ID ".scope", "", ID },
	{ "/docker/" ID, "", ID },
	{ "/docker/buildkit/x", "", "" },
	{ "/machine.slice/libpod-" ID ".scope", "", ID },
	{ "/machine.slice/libpod-" ID ".scope/container", "", "" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "", "" },
	{ "/machine.slice/machine-libpod_pod_" ID ".slice/libpod-" ID ".scope", "", ID },
	{ "/system.slice/nerdctl-" ID ".scope", "", ID },
	{ "/ecs/" STATIC "/" ID, "", ID },
	/* A container that may make cgroups gives them the number of somebody else's pod. */
	{ "/kubepods/burstable/pod" UID "/" ID "/kubepods/burstable/pod" STATIC, "", "" },
	{ "/kubepods/burstable/pod" UID "/" ID "/kubepods/burstable/pod" STATIC "/" ID, "", ID },
	{ "/kubepods.slice/kubepods-pod" UNDER ".slice/cri-containerd-" ID
	  ".scope/kubepods.slice/kubepods-pod" STATIC ".slice", "", "" },
	{ "/docker/" ID "/kubelet/kubepods/burstable/pod" UID "/" ID, UID, ID },
	/* Users make these as they like. */
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/kubepods.slice/kubepods-pod" UNDER
	  ".slice/cri-containerd-" ID ".scope", "", "" },
	{ "/user.slice/user-1000.slice/user@1000.service/kubepods/burstable/pod" UID, "", "" },
	{ "/user.slice/" ID, "", "" },
	{ "/docker/" ID "/user.slice/user-0.slice/kubepods/pod" UID "/" ID, "", "" },
	{ "/superuser.slice/" ID, "", ID },
	/* No container. */
	{ "/", "", "" },
	{ "", "", "" },
	{ "/system.slice", "", "" },
	{ "/system.slice/ssh.service", "", "" },
	{ "/user.slice/user-1000.slice/session-3.scope", "", "" },
	{ "/kubepods.slice", "", "" },
	{ "/kubepods.slice/kubepods-burstable.slice", "", "" },
	{ "/kubepods/burstable", "", "" },
	{ "/machine.slice/systemd-nspawn@debian.service/payload", "", "" },
	/* Malformed. */
	{ "/kubepods.slice/kubepods-pod" UID ".slice", "", "" },
	{ "/kubepods/burstable/pod" UNDER, "", "" },
	{ "/kubepods/burstable/pod" UID "0", "", "" },
	{ "/kubepods/burstable/pod0b6e2a3c-91d4-4f7a-8c25-5e1f0a9b7d4g", "", "" },
	{ "/kubepods/burstable/pod0b6e2a3c91-d4-4f7a-8c25-5e1f0a9b7d43", "", "" },
	{ "/kubepods/burstable/pod", "", "" },
	{ "/kubepods/guaranteed/pod" UID, "", "" },
	{ "/burstable/pod" UID, "", "" },
	{ "/pod" UID, "", "" },
	{ "pod" UID, "", "" },
	{ "/mykubepods-pod" UNDER ".slice", "", "" },
	{ "/kubepods-burstable-pod.slice", "", "" },
	{ "/kubepods-burstable-" UNDER ".slice", "", "" },
	{ "/-pod" UNDER ".slice", "", "" },
	{ "/.slice", "", "" },
	{ "/po.slice", "", "" },
	{ "/docker-" ID ".scop", "", "" },
	{ "/docker" ID ".scope", "", "" },
	{ "/system.slice/docker-3f4a0c91.scope", "", "" },
	{ "/system.slice/docker-" ID "0.scope", "", "" },
	{ "/docker/3F4A0C91D5B2E87F6A1049C8BB7E55D20C9F8E7D6B5A493827160F5E4D3C2B1A", "", "" },
	{ "/docker//" ID, "", ID },
	{ "/docker/" ID "/", "", "" },
	{ "///", "", "" },
};

int main(void)
{
	struct container container;
	char name[512];
	size_t i;

	ktap_begin(&ktap, sizeof(paths) / sizeof(paths[0]));
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		/* All that is not written is seen. */
		memset(&container, 'x', sizeof(container));
		container_of_path(&container, paths[i].path);
		snprintf(name, sizeof(name), "'%s': pod '%s', container '%s'", paths[i].path,
			 paths[i].pod_uid, paths[i].id);
		check(!strcmp(container.pod_uid, paths[i].pod_uid) &&
		      !strcmp(container.id, paths[i].id), name);
	}
	return ktap_end(&ktap);
}
