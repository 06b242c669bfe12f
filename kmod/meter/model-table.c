// SPDX-License-Identifier: GPL-2.0
/*
 * The table of CPU models: names, widths, and the formula family for CPUs without
 * PERF_METRICS.
 *
 * Pure data and a search.  The module and the host tests compile it, and the tests compare
 * every row with the published data.
 *
 * Source of widths and families: Intel's TMA metrics spreadsheets and perfmon repository;
 * for AMD the metrics published with perf.  Source of models: intel-family.h, and
 * bsp_init_amd() for AMD.
 */
#include "formula.h"
#include "model.h"

/*
 * Reasons why a row is not confirmed.  /sys/kernel/topdown/sources shows them to users
 * after "not confirmed: ".
 */
#define TD_NOTE_GLP	"width as in Linux, Intel's TMA metrics have 3"
#define TD_NOTE_BTL	"no event list, taken for Raptor Lake"
#define TD_NOTE_DKT	"no formula published, taken for Skymont"
#define TD_NOTE_NVL	"no formula published, width not known"
#define TD_NOTE_DMR	"no event list, taken for Coyote Cove, width not known"

/*
 * A hybrid part has a row for each kind of core, and for each native model id if a kind
 * has several.  The width is 0 if none is published.  A row that is not confirmed has a
 * note.
 */
#define INTEL_NOTE(family, model, width, formula, codename, note)			\
	{ X86_VENDOR_INTEL, family, model, 0, TOPDOWN_KIND_ONLY, 0, width, formula,	\
	  codename, note }

#define P_CORE_NOTE(family, model, width, formula, codename, note)			\
	{ X86_VENDOR_INTEL, family, model, 0, TOPDOWN_KIND_CORE, 0, width, formula,	\
	  codename, note }

#define E_CORE_NOTE(family, model, native, width, formula, codename, note)		\
	{ X86_VENDOR_INTEL, family, model, 0, TOPDOWN_KIND_ATOM, native, width, formula, \
	  codename, note }

#define INTEL(family, model, width, formula, codename)					\
	INTEL_NOTE(family, model, width, formula, codename, NULL)

#define P_CORE(family, model, width, formula, codename)					\
	P_CORE_NOTE(family, model, width, formula, codename, NULL)

#define E_CORE(family, model, native, width, formula, codename)				\
	E_CORE_NOTE(family, model, native, width, formula, codename, NULL)

#define AMD(family, first, last, width, formula, codename)				\
	{ X86_VENDOR_AMD, family, first, last, TOPDOWN_KIND_ONLY, 0, width, formula,	\
	  codename, NULL }

static const struct td_model td_models[] = {
	INTEL(6, 0x2a, 4, &td_generic_snb, "Sandy Bridge"),
	INTEL(6, 0x2d, 4, &td_generic_snb, "Sandy Bridge-EP"),
	INTEL(6, 0x3a, 4, &td_generic_ivb, "Ivy Bridge"),
	INTEL(6, 0x3e, 4, &td_generic_ivb, "Ivy Bridge-EP"),
	INTEL(6, 0x3c, 4, &td_generic_hsw, "Haswell"),
	INTEL(6, 0x45, 4, &td_generic_hsw, "Haswell"),
	INTEL(6, 0x46, 4, &td_generic_hsw, "Haswell"),
	INTEL(6, 0x3f, 4, &td_generic_hsw, "Haswell-X"),
	INTEL(6, 0x3d, 4, &td_generic_bdw, "Broadwell"),
	INTEL(6, 0x47, 4, &td_generic_bdw, "Broadwell"),
	INTEL(6, 0x4f, 4, &td_generic_bdw, "Broadwell-X"),
	INTEL(6, 0x56, 4, &td_generic_bdw, "Broadwell-DE"),
	INTEL(6, 0x4e, 4, &td_generic_skl, "Skylake"),
	INTEL(6, 0x5e, 4, &td_generic_skl, "Skylake"),
	INTEL(6, 0x8e, 4, &td_generic_skl, "Kaby Lake"),
	INTEL(6, 0x9e, 4, &td_generic_skl, "Kaby Lake"),
	INTEL(6, 0xa5, 4, &td_generic_skl, "Comet Lake"),
	INTEL(6, 0xa6, 4, &td_generic_skl, "Comet Lake"),
	INTEL(6, 0x55, 4, &td_generic_skl, "Skylake-X (or Cascade Lake, Cooper Lake)"),
	INTEL(6, 0x6a, 5, &td_fallback_icl, "Ice Lake-X (Sunny Cove)"),
	INTEL(6, 0x6c, 5, &td_fallback_icl, "Ice Lake-D (Sunny Cove)"),
	INTEL(6, 0x7d, 5, &td_fallback_icl, "Ice Lake (Sunny Cove)"),
	INTEL(6, 0x7e, 5, &td_fallback_icl, "Ice Lake (Sunny Cove)"),
	INTEL(6, 0x8c, 5, &td_fallback_icl, "Tiger Lake (Willow Cove)"),
	INTEL(6, 0x8d, 5, &td_fallback_icl, "Tiger Lake (Willow Cove)"),
	INTEL(6, 0xa7, 5, &td_fallback_icl, "Rocket Lake (Cypress Cove)"),
	INTEL(6, 0x8f, 6, &td_fallback_glc, "Sapphire Rapids (Golden Cove)"),
	INTEL(6, 0xcf, 6, &td_fallback_glc, "Emerald Rapids (Raptor Cove)"),
	INTEL(6, 0xad, 6, &td_fallback_glc, "Granite Rapids-X (Redwood Cove)"),
	INTEL(6, 0xae, 6, &td_fallback_glc, "Granite Rapids-D (Redwood Cove)"),
	INTEL_NOTE(6, 0xd7, 6, &td_fallback_glc, "Bartlett Lake (Raptor Cove)", TD_NOTE_BTL),
	INTEL_NOTE(19, 0x01, 0, &td_fallback_coc, "Diamond Rapids (Panther Cove)", TD_NOTE_DMR),
	INTEL(6, 0x5c, 3, &td_atom_glm, "Goldmont"),
	INTEL(6, 0x5f, 3, &td_atom_glm, "Denverton (Goldmont)"),
	INTEL_NOTE(6, 0x7a, 4, &td_atom_glm, "Goldmont Plus", TD_NOTE_GLP),
	INTEL(6, 0x86, 4, &td_atom_tnt, "Snow Ridge (Tremont)"),
	INTEL(6, 0x96, 4, &td_atom_tnt, "Elkhart Lake (Tremont)"),
	INTEL(6, 0x9c, 4, &td_atom_tnt, "Jasper Lake (Tremont)"),
	INTEL(6, 0xbe, 5, &td_atom_grt, "Alder Lake-N (Gracemont)"),
	INTEL(6, 0xaf, 6, &td_atom_cmt, "Sierra Forest (Crestmont)"),
	INTEL(6, 0xb6, 6, &td_atom_cmt, "Grand Ridge (Crestmont)"),
	INTEL_NOTE(6, 0xdd, 8, &td_atom_skt, "Clearwater Forest (Darkmont)", TD_NOTE_DKT),
	P_CORE(6, 0x97, 6, &td_fallback_glc, "Alder Lake (Golden Cove)"),
	E_CORE(6, 0x97, 1, 5, &td_atom_grt, "Alder Lake (Gracemont)"),
	P_CORE(6, 0x9a, 6, &td_fallback_glc, "Alder Lake (Golden Cove)"),
	E_CORE(6, 0x9a, 1, 5, &td_atom_grt, "Alder Lake (Gracemont)"),
	P_CORE(6, 0xb7, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(6, 0xb7, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(6, 0xba, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(6, 0xba, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(6, 0xbf, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(6, 0xbf, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(6, 0xaa, 6, &td_fallback_glc, "Meteor Lake (Redwood Cove)"),
	E_CORE(6, 0xaa, 2, 6, &td_atom_cmt, "Meteor Lake (Crestmont)"),
	P_CORE(6, 0xac, 6, &td_fallback_glc, "Meteor Lake (Redwood Cove)"),
	E_CORE(6, 0xac, 2, 6, &td_atom_cmt, "Meteor Lake (Crestmont)"),
	P_CORE(6, 0xb5, 6, &td_fallback_glc, "Arrow Lake-U (Redwood Cove)"),
	E_CORE(6, 0xb5, 2, 6, &td_atom_cmt, "Arrow Lake-U (Crestmont)"),
	P_CORE(6, 0xc5, 8, &td_fallback_lnc, "Arrow Lake-H (Lion Cove)"),
	E_CORE(6, 0xc5, 3, 8, &td_atom_skt, "Arrow Lake-H (Skymont)"),
	E_CORE(6, 0xc5, 2, 6, &td_atom_cmt, "Arrow Lake-H (Crestmont)"),
	P_CORE(6, 0xc6, 8, &td_fallback_lnc, "Arrow Lake-S (Lion Cove)"),
	E_CORE(6, 0xc6, 3, 8, &td_atom_skt, "Arrow Lake-S (Skymont)"),
	P_CORE(6, 0xbd, 8, &td_fallback_lnc, "Lunar Lake (Lion Cove)"),
	E_CORE(6, 0xbd, 3, 8, &td_atom_skt, "Lunar Lake (Skymont)"),
	P_CORE(6, 0xcc, 8, &td_fallback_lnc, "Panther Lake (Cougar Cove)"),
	E_CORE_NOTE(6, 0xcc, 4, 8, &td_atom_skt, "Panther Lake (Darkmont)", TD_NOTE_DKT),
	P_CORE(6, 0xd5, 8, &td_fallback_lnc, "Wildcat Lake (Cougar Cove)"),
	E_CORE_NOTE(6, 0xd5, 4, 8, &td_atom_skt, "Wildcat Lake (Darkmont)", TD_NOTE_DKT),
	P_CORE(6, 0xe5, 8, &td_fallback_lnc, "Panther Lake-R (Cougar Cove)"),
	E_CORE_NOTE(6, 0xe5, 4, 8, &td_atom_skt, "Panther Lake-R (Darkmont)", TD_NOTE_DKT),
	P_CORE_NOTE(18, 0x01, 0, &td_fallback_coc, "Nova Lake (Coyote Cove)", TD_NOTE_NVL),
	E_CORE_NOTE(18, 0x01, 5, 0, &td_atom_arw, "Nova Lake (Arctic Wolf)", TD_NOTE_NVL),
	P_CORE_NOTE(18, 0x03, 0, &td_fallback_coc, "Nova Lake-L (Coyote Cove)", TD_NOTE_NVL),
	E_CORE_NOTE(18, 0x03, 5, 0, &td_atom_arw, "Nova Lake-L (Arctic Wolf)", TD_NOTE_NVL),
	AMD(0x19, 0x10, 0x1f, 6, &td_zen4, "Zen 4"),
	AMD(0x19, 0x60, 0xaf, 6, &td_zen4, "Zen 4"),
	AMD(0x1a, 0x00, 0x2f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x40, 0x4f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x60, 0x7f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0xd0, 0xd7, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x50, 0x5f, 8, &td_zen6, "Zen 6"),
	AMD(0x1a, 0x80, 0xaf, 8, &td_zen6, "Zen 6"),
	AMD(0x1a, 0xc0, 0xcf, 8, &td_zen6, "Zen 6"),
};

/**
 * td_model_find() - the row of a kind of core
 * @vendor: X86_VENDOR_*
 * @family: CPUID family
 * @number: CPUID model
 * @kind: kind of the core
 * @native: CPUID leaf 1AH, native model id
 *
 * Return: the row, or NULL.
 */
const struct td_model *td_model_find(unsigned int vendor, unsigned int family,
				     unsigned int number, enum topdown_kind kind, __u32 native)
{
	const struct td_model *end = td_models + sizeof(td_models) / sizeof(td_models[0]);
	const struct td_model *model;

	for (model = td_models; model < end; model++) {
		unsigned int last = model->last ? model->last : model->first;

		if (model->vendor == vendor && model->family == family &&
		    model->first <= number && number <= last && model->kind == kind &&
		    (!model->native || model->native == native))
			return model;
	}
	return NULL;
}
