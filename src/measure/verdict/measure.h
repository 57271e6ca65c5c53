/** Measures of the rows of verdict.c, by file.  Layer measure. */
#pragma once

#include "measure/verdict.h"

/** Fill value, time, bodies and text of the k-th finding, counted from 0.  The limits and the
 * remedy of the row are set before the call; a measure may replace them.
 *  @return 0 without a k-th finding; some measures have findings only if something is wrong */
typedef int sup_measure(const sup_statistics *s, int k, sup_verdict *v);

/* verdict_contact.c */
sup_measure sup_measure_penetration;
sup_measure sup_measure_half_through;
sup_measure sup_measure_sunk_in;
sup_measure sup_measure_overlap_at_start;
sup_measure sup_measure_mute_pairs;
sup_measure sup_measure_tasks;
sup_measure sup_measure_friction_creep;
sup_measure sup_measure_inverted_elements;
sup_measure sup_measure_contact_loss;
sup_measure sup_measure_friction_lag;
sup_measure sup_measure_ambiguous;
sup_measure sup_measure_fields_too_deep;
sup_measure sup_measure_fields_passed;
/* verdict_soft.c */
sup_measure sup_measure_unheld;
sup_measure sup_measure_contact_layers;
sup_measure sup_measure_stretches;
sup_measure sup_measure_stress_error;
sup_measure sup_measure_snaps;
sup_measure sup_measure_saddles;
sup_measure sup_measure_angular_momentum;
/* verdict_energy.c */
sup_measure sup_measure_nonfinite_numbers;
sup_measure sup_measure_energy_blowup;
sup_measure sup_measure_scheme_energy;
sup_measure sup_measure_locking;
sup_measure sup_measure_numerical_dissipation;
sup_measure sup_measure_material_damping;
sup_measure sup_measure_energy;

/* shared by all */
void sup_verdict_append(sup_verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sup_verdict_advise(sup_verdict *v, const char *remedy);
/** Name a body of the model; SUP_NONE: nobody. */
void sup_verdict_name(sup_verdict *v, int which, const sup_statistics *s, int body);
/** " of 'finger'", " between 'finger' and 'cup'", or nothing. */
const char *sup_verdict_whose(const sup_verdict *v, char text[5 * SUP_NAME_MAX]);
