/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fractions that a program of known character must have.
 */
#ifndef TOPDOWN_CLI_BANDS_H
#define TOPDOWN_CLI_BANDS_H

#include "programs.h"
#include "topdown.h"

/**
 * struct band - a node of a program
 * @program: enum program
 * @node: enum topdown_node
 * @of: the node is meant as a part of this one; BAND_ALL: of all slots
 * @low: least fraction
 * @high: most
 * @sources: bit n: it holds for source n (enum topdown_source)
 */
struct band {
	unsigned int program;
	unsigned int node;
	unsigned int of;
	double low;
	double high;
	unsigned int sources;
};

#define BAND_ALL	TOPDOWN_MAX_NODES

extern const struct band bands[];
extern const unsigned int bands_nr;

#endif /* TOPDOWN_CLI_BANDS_H */
