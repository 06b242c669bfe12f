/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pod and the container that the path of a cgroup names.
 */
#ifndef TOPDOWN_CLI_CONTAINER_H
#define TOPDOWN_CLI_CONTAINER_H

/* A number of a pod with its dashes, and of a container, with the end. */
#define CONTAINER_POD_SIZE	37
#define CONTAINER_ID_SIZE	65

/**
 * struct container - what a path names
 * @pod_uid: number of the Kubernetes pod, as the API server spells it; empty for none
 * @id: number of the container; empty for none
 */
struct container {
	char pod_uid[CONTAINER_POD_SIZE];
	char id[CONTAINER_ID_SIZE];
};

void container_of_path(struct container *container, const char *path);

#endif /* TOPDOWN_CLI_CONTAINER_H */
