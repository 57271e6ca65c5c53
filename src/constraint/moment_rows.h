/** Rolling and torsional friction of point contacts -> rows (THEORY 41).  Layer constraint. */
#pragma once

#include "constraint/contact_rows.h"

/** Rows of one kind, each of a contact. */
typedef struct sup_moment_rows {
  int  first, num_rows; /* in sup_rows */
  int *contact;         /* [num_rows] */
} sup_moment_rows;

/** Component r of the last row += the angular velocity of a link about an axis, which may have any
 * length. */
SUP_NODISCARD sup_status sup_rows_turn(sup_rows *rows, const sup_contact_context *c, int body,
                                       int r, sup_v3 axis);
/** Rows of rolling, of the dimension of contacts, whose place is behind these. */
SUP_NODISCARD sup_status sup_rolling_rows_add(sup_moment_rows *out, sup_rows *rows,
                                              const sup_contact_context *c,
                                              const sup_contact_list    *contacts);
/** Rows of spin, of dimension 1. */
SUP_NODISCARD sup_status sup_spin_rows_add(sup_moment_rows *out, sup_rows *rows,
                                           const sup_contact_context *c,
                                           const sup_contact_list    *contacts);
/** Couples of the contacts from impulses. */
void sup_moment_rows_couples(const sup_moment_rows *rolling, const sup_moment_rows *spin,
                             const sup_rows *rows, const double *gamma, double dt,
                             sup_contact_list *contacts);
