/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libmicrohttpd, which is loaded only where HTTP is served.
 */
#ifndef TOPDOWN_CLI_LIBRARY_H
#define TOPDOWN_CLI_LIBRARY_H

#include <microhttpd.h>

/**
 * struct export_library - the functions that are used, without MHD_
 *
 * Each is that of the same name in microhttpd.h.
 */
struct export_library {
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_quiesce_daemon) *quiesce_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_timeout) *get_timeout;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_lookup_connection_value) *lookup_connection_value;
	__typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
};

const struct export_library *export_library(void);

#endif /* TOPDOWN_CLI_LIBRARY_H */
