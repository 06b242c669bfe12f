// SPDX-License-Identifier: GPL-2.0
/*
 * Words from outside that say when to measure. The option and the words are those of perf, so that
 * a program that drives perf drives this command too: a line with "enable" to the first fifo, and
 * "ack" from the second when it is done, with the zero that perf writes too.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "parse.h"

#define ACK		"ack\n"
#define FIFO		"fifo:"
#define DESCRIPTOR	"fd:"

/**
 * control_check - is it something that control_open() understands?
 * @text: argument of --control
 *
 * Return: false after a message.
 */
bool control_check(const char *text)
{
	const char *at = strstr(text, FIFO) == text ? text + strlen(FIFO) :
			 strstr(text, DESCRIPTOR) == text ? text + strlen(DESCRIPTOR) : "";
	const char *comma = strchr(at, ',');
	bool one = !comma || (comma[1] && !strchr(comma + 1, ','));

	if (*at && *at != ',' && strlen(at) < PATH_MAX && one)
		return true;
	return message_refuse("--control: '%s' names no fifo (allowed: fifo:WORDS, fifo:WORDS,ANSWERS, fd:N or fd:N,M)",
			      text);
}

static int open_fifo(const char *path)
{
	struct stat st;
	/* With a writer of our own there is no end of file. */
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		message_error("--control: cannot open %s: %s (mkfifo makes such a file)", path,
			      fd < 0 ? strerror(errno) : "it is no fifo");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* A descriptor of the caller's, which the measured command does not get. */
static int take_descriptor(const char *text)
{
	uint64_t number;
	const char *end = parse_digits(text, &number);

	if (!end || *end || number > INT_MAX || fcntl(number, F_SETFD, FD_CLOEXEC) ||
	    fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK))
		return message_fail(-1, "--control: %s is no open descriptor", text);
	return number;
}

/**
 * control_open - open what words come from
 * @control: to be set up; control_close() closes it in any case
 * @text: argument of --control that control_check() understands; NULL for none
 *
 * Return: 0, or an exit code after a message.
 */
int control_open(struct control *control, const char *text)
{
	int (*open_one)(const char *) = open_fifo;
	char names[PATH_MAX], *acks;

	*control = (struct control){ .words = -1, .acks = -1 };
	if (!text)
		return 0;
	if (strstr(text, DESCRIPTOR) == text)
		open_one = take_descriptor;
	snprintf(names, sizeof(names), "%s", strchr(text, ':') + 1);
	acks = strchr(names, ',');
	if (acks)
		*acks++ = '\0';
	control->words = open_one(names);
	if (control->words >= 0 && acks)
		control->acks = open_one(acks);
	return control->words < 0 || (acks && control->acks < 0) ? EXIT_USAGE : 0;
}

static enum control_word word_of(const char *line)
{
	static const char *const words[] = {
		[CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable",
		[CONTROL_STOP] = "stop", [CONTROL_PING] = "ping",
	};
	unsigned int i;

	for (i = CONTROL_ENABLE; i <= CONTROL_PING; i++) {
		if (!strcmp(line, words[i]))
			return i;
	}
	return CONTROL_UNKNOWN;
}

/* Text from outside may break a terminal. */
static void refuse_line(const char *line)
{
	char text[32];
	size_t i;

	for (i = 0; i < sizeof(text) - 1 && line[i]; i++)
		text[i] = line[i] < ' ' || line[i] > '~' ? '?' : line[i];
	text[i] = '\0';
	control_refuse(text, "allowed: enable, disable, stop, ping");
}

/**
 * control_refuse - say that a word does nothing
 * @word: the word
 * @why: why
 */
void control_refuse(const char *word, const char *why)
{
	message_note("--control: '%s' does nothing (%s)", word, why);
}

/**
 * control_read - take the next word
 * @control: open control
 *
 * A word ends with its line, or with a zero.
 *
 * Return: the word.
 */
enum control_word control_read(struct control *control)
{
	enum control_word word;
	ssize_t len;
	char next;

	for (;;) {
		len = read(control->words, &next, 1);
		if (len < 0 && errno == EINTR)
			continue;
		/*
		 * The other end may be closed, or the descriptor cannot be read: no word comes
		 * any more.
		 */
		if (!len || (len < 0 && errno != EAGAIN))
			control_close(control);
		if (len != 1)
			return CONTROL_NONE;
		if (next && next != '\n') {
			if (control->nr < sizeof(control->line) - 1)
				control->line[control->nr] = next;
			control->nr++;
			continue;
		}
		if (!control->nr)
			continue;
		control->line[control->nr < sizeof(control->line) ? control->nr :
			      sizeof(control->line) - 1] = '\0';
		word = control->nr < sizeof(control->line) ? word_of(control->line) :
							     CONTROL_UNKNOWN;
		control->nr = 0;
		if (word == CONTROL_UNKNOWN)
			refuse_line(control->line);
		return word;
	}
}

/**
 * control_ack - answer that a word was obeyed
 * @control: open control
 *
 * If nobody reads the answers, and there is no room for more, there is none.
 */
void control_ack(const struct control *control)
{
	ssize_t len;

	if (control->acks < 0)
		return;
	do {
		len = write(control->acks, ACK, sizeof(ACK));
	} while (len < 0 && errno == EINTR);
}

/**
 * control_close - close
 * @control: control
 */
void control_close(struct control *control)
{
	if (control->words >= 0)
		close(control->words);
	if (control->acks >= 0)
		close(control->acks);
	control->words = -1;
	control->acks = -1;
}
