// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the terminal, by curses.  Only this file knows curses.
 */
#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include "message.h"

/* <term.h> defines plain words as macros. */
#undef lines
#undef columns

static struct screen *terminal;
static bool coloured;

static const char *terminal_name(void)
{
	const char *name = getenv("TERM");

	return name ? name : "";
}

/* newterm() reads the description again. */
static bool is_addressable(void)
{
	const char *move = tigetstr("cup");
	bool is = move && move != (const char *)-1;

	del_curterm(cur_term);
	return is;
}

/* newterm() alone would print its own message, or exit. */
static int check_terminal(void)
{
	int known = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return message_fail(EXIT_USAGE, "top: standard input and output must be a terminal (for a file or a pipe use 'topdown stat -a -A -I 1000')");
	if (!*terminal_name())
		return message_fail(EXIT_USAGE, "top: TERM is not set (say what the terminal is, such as TERM=linux)");
	if (setupterm(NULL, STDOUT_FILENO, &known) != OK)
		return message_fail(EXIT_USAGE, "top: there is no description of the terminal '%s' (install ncurses-base or ncurses-term, or set TERM to one that is there, such as linux or vt100)",
				    terminal_name());
	if (!is_addressable())
		return message_fail(EXIT_USAGE, "top: the terminal '%s' cannot place the cursor (set TERM to what the terminal is; or use 'topdown stat')",
				    terminal_name());
	return 0;
}

static void make_colours(void)
{
	static const short colours[] = {
		[TOP_LOOK_MARK] = COLOR_RED,
		[TOP_LOOK_WARN] = COLOR_YELLOW,
		[TOP_LOOK_RETIRING] = COLOR_GREEN,
		[TOP_LOOK_BAD_SPECULATION] = COLOR_MAGENTA,
		[TOP_LOOK_FRONTEND_BOUND] = COLOR_CYAN,
		[TOP_LOOK_BACKEND_BOUND] = COLOR_RED,
	};
	const char *refused = getenv("NO_COLOR");
	unsigned int look;

	coloured = !(refused && *refused) && has_colors() && start_color() == OK;
	if (!coloured)
		return;
	use_default_colors();
	for (look = TOP_LOOK_MARK; look <= TOP_LOOK_BACKEND_BOUND; look++)
		init_pair(look, colours[look], -1);
}

/**
 * top_screen_open - take the terminal over
 *
 * Signals must be blocked, or curses would handle them itself.  Each exit() gives the
 * terminal back.
 *
 * Return: 0, or an exit code after a message.
 */
int top_screen_open(void)
{
	int ret = check_terminal();

	if (ret)
		return ret;
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return message_fail(EXIT_USAGE,
				    "top: cannot use the terminal '%s' (set TERM to what it is)",
				    terminal_name());
	atexit(top_screen_close);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* A lone escape shall not wait a second for further characters. */
	set_escdelay(50);
	curs_set(0);
	make_colours();
	return 0;
}

/**
 * top_screen_close - give the terminal back
 */
void top_screen_close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

static attr_t attribute_of(enum top_look look)
{
	attr_t attribute = A_NORMAL;

	if (look == TOP_LOOK_TITLE)
		attribute = A_REVERSE;
	else if (look == TOP_LOOK_SORTED)
		attribute = A_REVERSE | A_BOLD | A_UNDERLINE;
	else if (look == TOP_LOOK_MARK)
		attribute = A_BOLD;
	if (coloured && look >= TOP_LOOK_MARK)
		attribute |= COLOR_PAIR(look);
	return attribute;
}

/**
 * top_screen_show - show a frame
 * @frame: frame
 */
void top_screen_show(const struct top_frame *frame)
{
	unsigned int line, column;

	for (line = 0; line < frame->lines; line++) {
		for (column = 0; column < frame->columns; column++) {
			const struct top_cell *cell;

			cell = &frame->cell[(size_t)line * frame->columns + column];
			mvaddch(line, column, (unsigned char)cell->letter |
				attribute_of(cell->look));
		}
	}
	refresh();
}

/**
 * top_screen_size - the size of the terminal
 * @lines: height
 * @columns: width
 */
void top_screen_size(unsigned int *lines, unsigned int *columns)
{
	*lines = LINES > 0 ? LINES : 0;
	*columns = COLS > 0 ? COLS : 0;
}

/**
 * top_screen_resize - take over the new size of the terminal
 */
void top_screen_resize(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
}

/**
 * top_screen_suspend - give the terminal back for a while and stop
 *
 * Returns when the process goes on.
 */
void top_screen_suspend(void)
{
	endwin();
	kill(getpid(), SIGSTOP);
	top_screen_resize();
	clearok(stdscr, TRUE);
	refresh();
}

/**
 * top_screen_key - take a key that was pressed
 * @key: a character, or TOP_KEY_*
 *
 * Return: false if there is none.
 */
bool top_screen_key(int *key)
{
	static const struct {
		int curses;
		int ours;
	} keys[] = {
		{ KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP }, { KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME }, { KEY_END, TOP_KEY_END },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE }, { KEY_ENTER, TOP_KEY_ENTER },
	};
	unsigned int i;
	int pressed;

	/* curses reports a change of size as a key, but nobody pressed it. */
	do {
		pressed = getch();
	} while (pressed == KEY_RESIZE);
	if (pressed == ERR)
		return false;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (pressed == keys[i].curses) {
			*key = keys[i].ours;
			return true;
		}
	}
	/* Other keys of curses have no meaning here, but somebody pressed them. */
	*key = pressed < KEY_MIN ? pressed : 0;
	return true;
}
