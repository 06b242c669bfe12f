// SPDX-License-Identifier: GPL-2.0
/*
 * The pod and the container that the path of a cgroup names.
 *
 * Runtimes have cgroups of two forms.  systemd's driver makes slices and scopes:
 *
 *	/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/crio-ID.scope
 *
 * and cgroupfs' makes directories:
 *
 *	/kubepods/burstable/podUID/ID
 *
 * Only the cgroup of the pod, and those of containers directly in it, have its number, and only the
 * cgroup of the container itself has that of the container.  So a sum over containers, or over
 * those that have the number of a pod and none of a container, counts no slots twice, although the
 * slots of a cgroup have those of all below it.
 *
 * Below user.slice users make cgroups as they like, also with the number of a pod of somebody else,
 * so there are none.
 */
#include "container.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HEX		"0123456789abcdef"
#define ID_LENGTH	(CONTAINER_ID_SIZE - 1)

/**
 * struct part - a component of a path
 * @at: its first character
 * @length: how many
 */
struct part {
	const char *at;
	size_t length;
};

static bool is(struct part part, const char *text)
{
	return part.length == strlen(text) && !memcmp(part.at, text, part.length);
}

static bool ends_in(struct part part, const char *text)
{
	size_t length = strlen(text);

	return part.length >= length && !memcmp(part.at + part.length - length, text, length);
}

/* Take the component off the end of a path, which is empty afterwards if it was the last one. */
static struct part take_last(struct part *path)
{
	struct part last = { path->at + path->length, 0 };

	while (path->length && last.at[-1] != '/') {
		last.at--;
		last.length++;
		path->length--;
	}
	if (path->length)
		path->length--;
	return last;
}

/* Drop the end of a component; false if it has another one. */
static bool drop_end(struct part *part, const char *end)
{
	if (!ends_in(*part, end))
		return false;
	part->length -= strlen(end);
	return true;
}

static size_t hex_length(const char *at, size_t length)
{
	size_t n = 0;

	while (n < length && at[n] && strchr(HEX, at[n]))
		n++;
	return n;
}

/* A number of a pod: 8-4-4-4-12 digits, or 32 of a pod from a file of the node's. */
static bool is_uid(struct part part, char dash)
{
	static const unsigned char digits[] = { 8, 4, 4, 4, 12 };
	size_t i, from = 0;

	if (part.length == 32)
		return hex_length(part.at, 32) == 32;
	if (part.length != CONTAINER_POD_SIZE - 1)
		return false;
	for (i = 0; i < sizeof(digits); i++) {
		if (i && part.at[from++] != dash)
			return false;
		if (hex_length(part.at + from, digits[i]) != digits[i])
			return false;
		from += digits[i];
	}
	return true;
}

static bool copy_uid(char uid[CONTAINER_POD_SIZE], struct part part, char dash)
{
	size_t i;

	if (!is_uid(part, dash))
		return false;
	for (i = 0; i < part.length; i++)
		uid[i] = part.at[i] == dash ? '-' : part.at[i];
	uid[i] = '\0';
	return true;
}

/* Slices of systemd's cannot have dashes in a name, so the number has underscores. */
static bool pod_of_slice(char uid[CONTAINER_POD_SIZE], struct part part)
{
	static const char * const classes[] = {
		"kubepods-burstable", "kubepods-besteffort", "kubepods",
	};
	struct part before;
	size_t i, from;

	if (!drop_end(&part, ".slice"))
		return false;
	for (from = part.length; from && part.at[from - 1] != '-'; from--)
		;
	if (part.length < from + 3 || !from || memcmp(part.at + from, "pod", 3))
		return false;
	before = (struct part){ part.at, from - 1 };
	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!drop_end(&before, classes[i]))
			continue;
		/* A kubelet in a slice of its own has the name of that before it. */
		if (before.length && before.at[before.length - 1] != '-')
			return false;
		from += 3;
		return copy_uid(uid, (struct part){ part.at + from, part.length - from }, '_');
	}
	return false;
}

static bool pod_of_directory(char uid[CONTAINER_POD_SIZE], struct part part, struct part above)
{
	struct part parent = take_last(&above);

	if (is(parent, "burstable") || is(parent, "besteffort"))
		parent = take_last(&above);
	if (!is(parent, "kubepods") || part.length < 3 || memcmp(part.at, "pod", 3))
		return false;
	return copy_uid(uid, (struct part){ part.at + 3, part.length - 3 }, '-');
}

static bool is_pod(char uid[CONTAINER_POD_SIZE], struct part part, struct part above)
{
	return pod_of_slice(uid, part) || pod_of_directory(uid, part, above);
}

/* All in a pod is of that pod, whatever name a container there gives its own cgroups. */
static void find_pod(char uid[CONTAINER_POD_SIZE], struct part part, struct part above)
{
	char outer[CONTAINER_POD_SIZE];

	if (!is_pod(uid, part, above))
		return;
	while (above.length) {
		part = take_last(&above);
		if (is_pod(outer, part, above))
			*uid = '\0';
	}
}

/* ID, RUNTIME-ID or RUNTIME-ID.scope; what watches a container has RUNTIME-conmon-ID. */
static bool find_id(char id[CONTAINER_ID_SIZE], struct part part)
{
	static const char * const runtimes[] = {
		"cri-containerd-", "crio-", "docker-", "libpod-", "nerdctl-", "",
	};
	struct part before;
	size_t i;

	drop_end(&part, ".scope");
	if (part.length < ID_LENGTH)
		return false;
	before = (struct part){ part.at, part.length - ID_LENGTH };
	if (hex_length(part.at + before.length, ID_LENGTH) != ID_LENGTH)
		return false;
	for (i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (!is(before, runtimes[i]))
			continue;
		memcpy(id, part.at + before.length, ID_LENGTH);
		id[ID_LENGTH] = '\0';
		return true;
	}
	return false;
}

/**
 * container_of_path - find what a path names
 * @container: written
 * @path: path of a cgroup, from the root of cgroups on
 */
void container_of_path(struct container *container, const char *path)
{
	struct part above = { path, strlen(path) };
	struct part last = take_last(&above), higher = above;
	struct part parent = take_last(&higher);

	memset(container, 0, sizeof(*container));
	if (strstr(path, "/user.slice/"))
		return;
	/* A monitor of a container is in the pod too, and must not look like another pod. */
	if (find_id(container->id, last))
		find_pod(container->pod_uid, parent, higher);
	else
		find_pod(container->pod_uid, last, above);
}
