// SPDX-License-Identifier: GPL-2.0
/*
 * pmdatopdown: the agent of PCP for the topdown module.
 *
 * A fetch reads all CPUs once, from the map: without a system call for each CPU, and
 * without an interrupt.  "pmdatopdown -n" prints the name space, "-r" the ratios that clients
 * derive.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"

/* PCP leaves the domains from 385 to 510 to others; -d has another. */
#define DOMAIN	459

static struct snapshot now;
static pmdaIndom cpus;
static unsigned int instances_room;

static pmLongOptions long_options[] = {
	PMOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	PMDAOPT_USERNAME,
	PMOPT_HELP,
	PMDA_OPTIONS_END,
};

static pmdaOptions options = {
	.short_options = "D:d:l:U:?",
	.long_options = long_options,
};

/* CPUs stay where they are; more may come. */
static void name_instances(void)
{
	static char (*names)[16];
	unsigned int i;

	if (now.nr > instances_room) {
		free(names);
		free(cpus.it_set);
		names = calloc(now.nr, sizeof(*names));
		cpus.it_set = calloc(now.nr, sizeof(*cpus.it_set));
		instances_room = names && cpus.it_set ? now.nr : 0;
	}
	cpus.it_numinst = now.nr <= instances_room ? now.nr : 0;
	for (i = 0; i < (unsigned int)cpus.it_numinst; i++) {
		snprintf(names[i], sizeof(names[i]), "cpu%u", now.records[i].cpu);
		cpus.it_set[i].i_inst = now.records[i].cpu;
		cpus.it_set[i].i_name = names[i];
	}
}

static void look(void)
{
	static int last_error = 1;

	snapshot_take(&now, NULL);
	name_instances();
	/* The log has each change once. */
	if (now.error == last_error)
		return;
	if (now.error)
		pmNotifyErr(LOG_WARNING, "no figures of CPUs: %s", strerror(-now.error));
	else
		pmNotifyErr(LOG_INFO, "version %s of the module, %u CPUs",
			    now.info.out_version, now.nr);
	last_error = now.error;
}

static int fetch(int nr, pmID *ids, pmResult **result, pmdaExt *ext)
{
	look();
	return pmdaFetch(nr, ids, result, ext);
}

static int instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	look();
	return pmdaInstance(indom, inst, name, result, ext);
}

static int value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	pmID id = metric->m_desc.pmid;

	return metrics_value(&now, pmID_cluster(id), pmID_item(id), inst, atom);
}

/* libpcp_pmda frees the text. */
static int text(int id, int type, char **out, pmdaExt *ext)
{
	const char *found = "The CPUs that are there, as the kernel numbers them: cpu0, cpu1, ...";
	const struct metric *metric;

	(void)ext;
	if (type & PM_TEXT_PMID) {
		metric = metrics_find(id);
		if (!metric)
			return PM_ERR_PMID;
		found = type & PM_TEXT_ONELINE ? metric->oneline : metric->help;
	} else if (pmInDom_serial(id) != INDOM_CPUS) {
		return PM_ERR_INDOM;
	}
	*out = strdup(found);
	return *out ? 0 : -ENOMEM;
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	pmdaMetric *metrics;
	unsigned int nr = metrics_make(&metrics);

	if (argc == 2 && !strcmp(argv[1], "-n")) {
		metrics_print_names(stdout, DOMAIN);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "-r")) {
		metrics_print_ratios(stdout);
		return 0;
	}
	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_5, pmGetProgname(), DOMAIN, "topdown.log", NULL);
	pmdaGetOptions(argc, argv, &options, &dispatch);
	if (options.errors) {
		pmdaUsageMessage(&options);
		return 1;
	}
	if (options.username)
		pmSetProcessIdentity(options.username);
	pmdaOpenLog(&dispatch);
	if (dispatch.status)
		return 1;
	cpus.it_indom = INDOM_CPUS;
	dispatch.version.any.fetch = fetch;
	dispatch.version.any.instance = instance;
	dispatch.version.any.text = text;
	pmdaSetFetchCallBack(&dispatch, value);
	pmdaInit(&dispatch, &cpus, 1, metrics, nr);
	pmdaConnect(&dispatch);
	pmdaMain(&dispatch);
	return 0;
}
