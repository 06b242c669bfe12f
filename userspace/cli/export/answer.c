// SPDX-License-Identifier: GPL-2.0
/*
 * The answers of topdown export: all that HTTP can ask for.
 */
#include "answer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "clock.h"
#include "export-metrics.h"

/* gzip's header, where deflate has its own. */
#define GZIP_WINDOW	(15 + 16)
#define GZIP_MEMORY	8

static const char front_page[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head><meta charset=\"utf-8\"><title>topdown</title></head>\n"
	"<body>\n"
	"<h1>topdown " TOPDOWN_VERSION "</h1>\n"
	"<p>Where the pipeline slots of this machine go (Top-Down, TMA).</p>\n"
	"<p><a href=\"/metrics\">Metrics</a>, which topdown-export(1) explains</p>\n"
	"</body>\n"
	"</html>\n";

/* The compressed text in memory of its own, or NULL. */
static char *compress_text(const struct export_text *text, size_t *length)
{
	z_stream stream = { .next_in = (unsigned char *)text->at, .avail_in = text->length };
	unsigned char *to;
	size_t room;

	/* The text is like itself, so the fastest level suffices. */
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&stream, text->length);
	to = malloc(room);
	stream.next_out = to;
	stream.avail_out = room;
	if (!to || deflate(&stream, Z_FINISH) != Z_STREAM_END) {
		free(to);
		to = NULL;
	}
	*length = stream.total_out;
	deflateEnd(&stream);
	return (char *)to;
}

static struct MHD_Response *response_of(char *text, size_t length)
{
	struct MHD_Response *response;

	response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(text);
	return response;
}

static struct export_answer make_metrics(const struct export_answers *answers,
					 enum export_format format, bool gzip)
{
	struct export_text text = { .format = format };
	struct export_answer answer = { NULL, 0 };
	char *body;

	export_metrics(&text, &answers->data);
	body = text.at;
	answer.length = text.length;
	if (gzip && !text.failed)
		body = compress_text(&text, &answer.length);
	if (body != text.at || text.failed)
		free(text.at);
	if (body && !text.failed)
		answer.response = response_of(body, answer.length);
	if (!answer.response)
		return answer;
	MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONTENT_TYPE,
				export_text_type(format));
	MHD_add_response_header(answer.response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
	if (gzip)
		MHD_add_response_header(answer.response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	return answer;
}

static void forget(struct export_answers *answers)
{
	struct export_answer *answer = &answers->metrics[0][0];
	size_t i;

	/* A connection that still sends one has it too. */
	for (i = 0; i < EXPORT_FORMATS * 2; i++) {
		if (answer[i].response)
			MHD_destroy_response(answer[i].response);
		answer[i].response = NULL;
	}
}

/* How long a reading answers. */
static unsigned int kept_ms(const struct export_answers *answers)
{
	return answers->data.cgroups.wanted ? EXPORT_CGROUPS_MS : EXPORT_SNAPSHOT_MS;
}

/**
 * export_answers_update - look again, if the last look is not of now
 * @answers: answers that are kept
 *
 * Return: true if that was done, so that older answers are freed when nobody gets them any more.
 */
bool export_answers_update(struct export_answers *answers)
{
	uint64_t now = clock_now_ns();

	if (answers->taken_ns && now - answers->taken_ns < kept_ms(answers) * NS_PER_MS)
		return false;
	forget(answers);
	export_data_update(&answers->data);
	answers->taken_ns = now;
	return true;
}

/**
 * export_answer_metrics - the metrics as they were last
 * @answers: answers that are kept
 * @format: format
 * @gzip: compress them
 *
 * Return: the answer, which stays with @answers; NULL if there is no memory.
 */
const struct export_answer *export_answer_metrics(struct export_answers *answers,
						  enum export_format format, bool gzip)
{
	struct export_answer *answer = &answers->metrics[format][gzip];

	if (!answer->response)
		*answer = make_metrics(answers, format, gzip);
	return answer->response ? answer : NULL;
}

/**
 * export_answer_page - any other page, which never changes
 * @path: "/" for the front page; otherwise the text of an error
 *
 * Return: the answer, which the caller destroys; NULL if there is no memory.
 */
struct MHD_Response *export_answer_page(const char *path)
{
	bool front = !strcmp(path, "/");
	const char *text = front ? front_page : path;
	struct MHD_Response *response;

	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_PERSISTENT);
	if (!response)
		return NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				front ? "text/html; charset=utf-8" : "text/plain; charset=utf-8");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Content-Security-Policy", "default-src 'none'");
	return response;
}

/**
 * export_answers_end - free all
 * @answers: answers that are kept
 */
void export_answers_end(struct export_answers *answers)
{
	forget(answers);
	export_data_end(&answers->data);
}
