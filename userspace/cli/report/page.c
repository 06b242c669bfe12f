// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of the page that topdown report --html writes: its begin, with its styles, and times.
 *
 * The policy forbids the browser to load anything. The classes n0 to n13 are the numbers of the
 * nodes. A level 2 node has a lighter or a darker shade of its parent's colour, and areas have an
 * edge, so that nobody has to tell similar colours apart.  The classes l0 to l3 are lines.
 */
#include "page.h"

#include <string.h>
#include <time.h>

const char recording_page_head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<title>topdown report</title>\n"
	"<style>\n"
	":root{--paper:#fff;--ink:#1b1f24;--faint:#5b6570;--line:#c9d0d8;--mark:#fff2cc;\n"
	"--r:#2e8b57;--r1:#62b585;--r2:#1f6b42;--b:#8e5bb5;--b1:#b18bd0;--b2:#6d3f94;\n"
	"--f:#2f78c4;--f1:#6ca6e0;--f2:#1d5791;--m:#d9722b;--m1:#eda063;--m2:#b1531a;--m3:#8a3f12;--s:#7d8590}\n"
	"@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6e9ed;--faint:#9aa5b1;\n"
	"--line:#3a434d;--mark:#4a3d12;--r:#3fa76c;--r1:#74c79a;--r2:#2a7d4f;--b:#a878cf;--b1:#c7a4e2;\n"
	"--b2:#7f51a8;--f:#4a94e0;--f1:#86baf0;--f2:#2f6db0;--m:#e8873f;--m1:#f4b47e;--m2:#c2652a;--m3:#9c4d1c;--s:#8b949e}}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
	"main{max-width:72rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.5rem;margin:.5rem 0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:1.5rem 0 .25rem}\n"
	"p{margin:.25rem 0;color:var(--faint)}.verdict{color:var(--ink);font-size:1.1rem}code{overflow-wrap:anywhere}\n"
	".legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.25rem 0;padding:0;font-size:.875rem}\n"
	".key{width:.8em;height:.8em;margin-right:.4em}\n"
	".scroll{overflow-x:auto}.picture{display:block;min-width:56rem;width:100%;height:auto}\n"
	".area{stroke:var(--paper);stroke-width:.5}.grid{stroke:var(--line);stroke-width:.5;fill:none}\n"
	"text{fill:var(--faint);font-size:12px}.y{text-anchor:end}.value{visibility:hidden;fill:var(--ink);font-size:13px}\n"
	".step rect{fill:transparent}.step:hover rect,.step:focus rect{fill:var(--ink);fill-opacity:.12;stroke:var(--ink)}\n"
	".step:hover .value,.step:focus .value{visibility:visible}\n"
	".picture:has(.step:focus) .step:hover:not(:focus) .value{visibility:hidden}\n"
	".step:focus{outline:none}.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--f)}\n"
	".each figure{margin:.5rem 0}.each figcaption{font-size:.875rem;color:var(--faint)}\n"
	".small{display:block;width:100%;height:3.5rem;background:var(--line)}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--faint)}\n"
	"th,td{padding:.1rem .75rem .1rem 0;text-align:right}th:first-child{text-align:left;font-weight:normal}\n"
	"thead th{border-bottom:1px solid var(--line)}.level2 th{padding-left:1.25rem}.marked{background:var(--mark);font-weight:bold}\n"
	"summary{margin:1rem 0;cursor:pointer}\n"
	".n0{fill:var(--r)}.n1{fill:var(--b)}.n2{fill:var(--f)}.n3{fill:var(--m)}.n4{fill:var(--r2)}.n5{fill:var(--r1)}\n"
	".n6{fill:var(--b1)}.n7{fill:var(--b2)}.n8{fill:var(--f1)}.n9{fill:var(--f2)}.n10{fill:var(--m1)}.n11{fill:var(--m2)}\n"
	".l0{stroke:var(--ink);fill:var(--ink)}.l1{stroke:var(--r);fill:var(--r)}.l2{stroke:var(--f);fill:var(--f)}\n"
	".l3{stroke:var(--m);fill:var(--m)}.line{fill:none;stroke-width:1.5}h3{font-size:1rem;margin:1rem 0 0}\n"
	".n12{fill:var(--m3)}.n13{fill:var(--s)}\n"
	"@media print{.scroll{overflow:visible}.picture{min-width:0}}\n"
	"</style></head><body><main>\n";

/**
 * recording_page_clock - write a time of day
 * @file: where to
 * @recording: recording
 * @at_ns: CLOCK_MONOTONIC of its machine
 * @date: write the date, too
 */
void recording_page_clock(FILE *file, const struct recording *recording, uint64_t at_ns, bool date)
{
	double time = recording_epoch(recording, at_ns);
	time_t seconds = time;
	struct tm local;
	char text[64] = "?";

	if (!localtime_r(&seconds, &local))
		memset(&local, 0, sizeof(local));
	if (date && strftime(text, sizeof(text), "%Y-%m-%d ", &local))
		fputs(text, file);
	if (strftime(text, sizeof(text), "%H:%M:%S", &local))
		fprintf(file, "%s.%03u", text, (unsigned int)((time - seconds) * 1000));
}
