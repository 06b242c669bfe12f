// SPDX-License-Identifier: GPL-2.0
/*
 * libmicrohttpd, which is loaded only where HTTP is served.
 *
 * With it come gnutls and nine more libraries, which every other use of the command would
 * have to start.
 */
#include "library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "message.h"

/* Of 0.9.72 to 1.0. */
#define LIBRARY		"libmicrohttpd.so.12"

#ifdef TOPDOWN_STATIC
const struct export_library *export_library(void)
{
	message_error("export: a static topdown cannot load " LIBRARY ", so it cannot serve (use --textfile, or the shared one)");
	return NULL;
}
#else
static bool find(void *handle, const char *name, void *function)
{
	void *at = dlsym(handle, name);

	/* POSIX wants this to work, but C has no cast for it. */
	memcpy(function, &at, sizeof(at));
	if (!at)
		message_error("export: %s has no %s", LIBRARY, name);
	return at;
}

#define FIND(name)	find(handle, "MHD_" #name, &library.name)

/**
 * export_library - load the library
 *
 * Return: its functions; NULL after a message.
 */
const struct export_library *export_library(void)
{
	static struct export_library library;
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		message_error("export: cannot load %s: %s (install libmicrohttpd12)", LIBRARY,
			      dlerror());
		return NULL;
	}
	if (!(FIND(start_daemon) && FIND(quiesce_daemon) && FIND(stop_daemon) && FIND(run) &&
	      FIND(get_timeout) && FIND(get_daemon_info) && FIND(get_connection_info) &&
	      FIND(lookup_connection_value) && FIND(create_response_from_buffer) &&
	      FIND(add_response_header) && FIND(queue_response) && FIND(destroy_response)))
		return NULL;
	return &library;
}
#endif
