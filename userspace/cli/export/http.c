// SPDX-License-Identifier: GPL-2.0
/*
 * The daemon of topdown export.
 *
 * One thread does all: a scrape reads memory and takes less than a millisecond, and no client
 * can make it wait. Without clients it sleeps, and with too many of them it rests in between.
 */
#include "http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "answer.h"
#include "clients.h"
#include "clock.h"
#include "files.h"
#include "message.h"
#include "request.h"
#include "socket.h"

/* Bytes of older answers that are sent. A new answer is beside them, in several formats. */
#define OLDER_MAX		(32 << 20)
#define TLS_PRIORITIES		"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/**
 * struct server - the daemon
 * @options: the command line
 * @daemon: the library's daemon
 * @listening: the socket that clients come to; each daemon of the library has a copy
 * @signals: descriptor of the signals
 * @closed: a connection was closed: if the library was full, it looks for clients again only
 *	when it is run again
 * @used_ns: time on CPUs, at @seen_ns
 * @seen_ns: when it was last looked at
 * @debt_ns: time on CPUs beyond the part that there is
 * @starting: the library may print messages: later ones would be about broken clients
 * @files: certificate, key and users
 * @clients: connections
 * @answers: answers
 */
struct server {
	const struct export_options *options;
	struct MHD_Daemon *daemon;
	int listening;
	int signals;
	bool closed;
	uint64_t used_ns;
	uint64_t seen_ns;
	uint64_t debt_ns;
	bool starting;
	struct export_files files;
	struct export_clients clients;
	struct export_answers answers;
};

static struct export_client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info ? info->socket_context : NULL;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result send_error(struct MHD_Connection *connection, unsigned int status,
				  const char *text, const char *name, const char *value)
{
	struct MHD_Response *response = export_answer_page(text);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	if (name)
		MHD_add_response_header(response, name, value);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_metrics(struct server *server, struct MHD_Connection *connection)
{
	const char *accept = header(connection, MHD_HTTP_HEADER_ACCEPT);
	const char *encodings = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	const struct export_answer *answer;

	/* Others that came in the same moment get the same figures, until the answers are free. */
	if (!server->clients.nr_closing && export_answers_update(&server->answers))
		export_clients_limit(&server->clients, OLDER_MAX);
	answer = export_answer_metrics(&server->answers, export_request_format(accept),
				       export_request_gzip(encodings));
	if (!answer)
		return MHD_NO;
	export_clients_send(client_of(connection), answer->length);
	return MHD_queue_response(connection, MHD_HTTP_OK, answer->response);
}

/* All who can connect from this machine may read. */
static bool is_open_here(const struct server *server, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	if (server->options->auth)
		return false;
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	return !info || export_socket_is_local(info->connect_fd);
}

static const char misdirected[] =
	"Ask for an address, localhost or the name of the machine (or use --auth)\n";

static enum MHD_Result send_answer(struct server *server, struct MHD_Connection *connection,
				   const char *path, const char *method)
{
	const char *user = header(connection, MHD_HTTP_HEADER_AUTHORIZATION);

	if (is_open_here(server, connection) &&
	    !export_request_is_local(header(connection, MHD_HTTP_HEADER_HOST)))
		return send_error(connection, MHD_HTTP_MISDIRECTED_REQUEST, misdirected, NULL,
				  NULL);
	if (!export_files_knows(&server->files, user))
		return send_error(connection, MHD_HTTP_UNAUTHORIZED, "Unauthorized\n",
				  MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"topdown\"");
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_error(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Method not allowed\n",
				  MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (!strcmp(path, "/metrics"))
		return send_metrics(server, connection);
	if (!strcmp(path, "/"))
		return send_error(connection, MHD_HTTP_OK, "/", NULL, NULL);
	return send_error(connection, MHD_HTTP_NOT_FOUND, "Not found\n", NULL, NULL);
}

/* The library calls this with the headers, with each part of a body, and at the end. */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection,
				  const char *path, const char *method, const char *version,
				  const char *body, size_t *size, void **request)
{
	static const char begun;

	(void)version;
	(void)body;
	if (!*request) {
		*request = (void *)&begun;
		return MHD_YES;
	}
	/* No request has a body, so whoever sends one is cut off. */
	return *size ? MHD_NO : send_answer(cls, connection, path, method);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **client,
			  enum MHD_ConnectionNotificationCode code)
{
	struct server *server = cls;
	const union MHD_ConnectionInfo *info;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		export_clients_remove(&server->clients, *client);
		*client = NULL;
		server->closed = true;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	*client = info ? export_clients_add(&server->clients, info->connect_fd) : NULL;
}

static void on_answered(void *cls, struct MHD_Connection *connection, void **request,
			enum MHD_RequestTerminationCode code)
{
	(void)cls;
	*request = NULL;
	if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		export_clients_answered(client_of(connection));
}

static void on_message(void *cls, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void on_message(void *cls, const char *format, va_list args)
{
	const struct server *server = cls;
	char text[256];

	if (!server->starting)
		return;
	vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	message_error("export: %s", text);
}

/* Some failures of the library close the socket that it was given, and some do not. */
static void close_copy(int fd)
{
	if (fcntl(fd, F_GETFD) >= 0)
		close(fd);
}

static struct MHD_Daemon *start_daemon(struct server *server, const struct export_files *files)
{
	const struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, files->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, files->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	const struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };
	unsigned int flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG;
	int fd = fcntl(server->listening, F_DUPFD_CLOEXEC, 0);
	struct MHD_Daemon *daemon;

	if (fd < 0) {
		message_error("export: cannot serve: %s", strerror(errno));
		return NULL;
	}
	if (files->certificate)
		flags |= MHD_USE_TLS;
	server->starting = true;
	daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
				  MHD_OPTION_EXTERNAL_LOGGER, on_message, server,
				  MHD_OPTION_LISTEN_SOCKET, fd,
				  MHD_OPTION_CONNECTION_LIMIT, (unsigned int)server->clients.max,
				  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)EXPORT_REQUEST_BYTES,
				  MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
				  MHD_OPTION_NOTIFY_COMPLETED, on_answered, server,
				  MHD_OPTION_ARRAY, files->certificate ? tls : none,
				  MHD_OPTION_END);
	server->starting = false;
	if (!daemon) {
		close_copy(fd);
		message_error("export: cannot serve%s",
			      files->certificate ? " with this certificate and key" : "");
	}
	return daemon;
}

/* The socket goes on to listen: clients that come now wait for the next daemon. */
static void stop_daemon(struct server *server)
{
	int fd;

	if (!server->daemon)
		return;
	fd = MHD_quiesce_daemon(server->daemon);
	MHD_stop_daemon(server->daemon);
	server->daemon = NULL;
	if (fd >= 0)
		close(fd);
}

/* SIGHUP: the files may have changed. If they are no good, the old daemon goes on with its own. */
static void reload(struct server *server)
{
	struct MHD_Daemon *daemon = NULL;
	struct export_files files;

	if (export_files_read(&files, server->options)) {
		daemon = start_daemon(server, &files);
		if (!daemon)
			export_files_free(&files);
	}
	if (!daemon) {
		message_note("export: the files as they were stay in use");
		return;
	}
	stop_daemon(server);
	export_files_free(&server->files);
	server->daemon = daemon;
	server->files = files;
}

/* The shorter of two times in ms, of which a negative one has no end. */
static int shorter(int one, int other)
{
	if (one < 0 || other < 0)
		return one < 0 ? other : one;
	return one < other ? one : other;
}

static int time_of_library(const struct server *server)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(server->daemon, &ms) != MHD_YES)
		return -1;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

static uint64_t used_now_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * NS_PER_S + used.tv_nsec;
}

/* How long nobody is to be served, in ms. */
static int rest_of(struct server *server)
{
	uint64_t used = used_now_ns(), now = clock_now_ns();
	uint64_t paid = (now - server->seen_ns) / EXPORT_CPU_PART;

	server->debt_ns += used - server->used_ns;
	server->debt_ns -= server->debt_ns < paid ? server->debt_ns : paid;
	server->used_ns = used;
	server->seen_ns = now;
	if (server->debt_ns <= EXPORT_CPU_BURST_S * NS_PER_S)
		return 0;
	return (server->debt_ns - EXPORT_CPU_BURST_S * NS_PER_S) * EXPORT_CPU_PART / NS_PER_MS + 1;
}

/* @rest_ms: for so long wait for signals alone */
static bool wait_for_work(const struct server *server, int timeout_ms, int rest_ms, bool *signalled)
{
	const union MHD_DaemonInfo *info;
	struct pollfd fds[2] = { { .fd = server->signals, .events = POLLIN } };

	if (rest_ms && poll(fds, 1, rest_ms) < 0 && errno != EINTR)
		return false;

	info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return false;
	fds[1] = (struct pollfd){ .fd = info->epoll_fd, .events = POLLIN };
	if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
		return false;
	*signalled = fds[0].revents;
	return true;
}

/* Until a signal ends it. */
static int serve(struct server *server)
{
	struct signalfd_siginfo signal;
	bool signalled = false;

	for (;;) {
		int timeout_ms = shorter(time_of_library(server),
					 export_clients_expire(&server->clients));

		if (server->closed)
			timeout_ms = 0;
		server->closed = false;
		if (!wait_for_work(server, timeout_ms, rest_of(server), &signalled) ||
		    MHD_run(server->daemon) != MHD_YES)
			return message_fail(EXIT_RUNTIME, "export: cannot serve any more: %s",
					    strerror(errno));
		if (!signalled || read(server->signals, &signal, sizeof(signal)) != sizeof(signal))
			continue;
		if (signal.ssi_signo != SIGHUP)
			return EXIT_OK;
		reload(server);
	}
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		message_error("export: cannot take signals: %s", strerror(errno));
	return fd;
}

static bool prepare(struct server *server)
{
	const struct export_options *options = server->options;

	server->clients.max = options->connections ? options->connections :
						     EXPORT_CONNECTIONS_DEFAULT;
	server->clients.client = calloc(server->clients.max,
					sizeof(struct export_client *));
	if (!server->clients.client)
		message_error("export: %s", strerror(ENOMEM));
	if (!server->clients.client || !export_files_read(&server->files, options))
		return false;
	server->signals = open_signals();
	if (server->signals < 0)
		return false;
	server->listening = export_socket(options);
	if (server->listening >= 0)
		server->daemon = start_daemon(server, &server->files);
	return server->daemon;
}

/**
 * export_serve - serve by HTTP until a signal ends it
 * @options: the command line
 *
 * Return: exit code.
 */
int export_serve(const struct export_options *options)
{
	struct server server = {
		.options = options,
		.listening = -1,
		.signals = -1,
		.answers.data = { .device = options->device, .per_cpu = options->per_cpu,
				  .cgroups = { .device = options->device,
					       .wanted = options->cgroups,
					       .depth = options->depth,
					       .max = options->max_cgroups,
					       .max_ended = options->max_ended },
				  .latency = { .device = options->device,
					       .per_cpu = options->per_cpu,
					       .wanted = options->latency } },
	};
	int ret = EXIT_RUNTIME;

	if (prepare(&server)) {
		server.used_ns = used_now_ns();
		server.seen_ns = clock_now_ns();
		/* Sample and sum up from now on, and not from the first scrape on. */
		if (options->latency || options->cgroups)
			export_data_update(&server.answers.data);
		ret = serve(&server);
	}
	stop_daemon(&server);
	export_answers_end(&server.answers);
	export_files_free(&server.files);
	free(server.clients.client);
	if (server.listening >= 0)
		close(server.listening);
	if (server.signals >= 0)
		close(server.signals);
	return ret;
}
