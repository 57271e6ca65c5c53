/* Stress at vertices: fits of the stress at points. */
#include "fem/recovery/recovery.h"

#include <string.h>

#include "base/memory.h"
#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/stress_kernel.h"
#include "fem/recovery/recovery_parts.h"

sup_status sup_recovery_create(sup_recovery **recovery, const sup_fem_body *body,
                               sup_recovery_method method) {
  *recovery = NULL;
  sup_recovery *r = NULL;
  SUP_TRY(SUP_CALLOC(r, 1));
  r->body = body;
  sup_status status = sup_agree(body->ranks, sup_recovery_build(r, method));
  if (status != SUP_OK) sup_recovery_destroy(&r);
  *recovery = r;
  return status;
}

void sup_recovery_destroy(sup_recovery **recovery) {
  sup_recovery *r = *recovery;
  if (!r) return;
  sup_recovery_area_free(&r->area);
  sup_fem_sites_free(&r->sites);
  SUP_FREE_ALL(&r->row, &r->cell, &r->weight, &r->share, recovery);
}

int sup_recovery_num_sites(const sup_recovery *recovery) { return recovery->mesh->num_vertices; }

bool sup_recovery_has_sites(const sup_recovery *recovery) { return recovery->sites.mesh != NULL; }

int sup_recovery_num_cells(const sup_recovery *recovery) { return recovery->area.num_cells; }

int sup_recovery_num_means(const sup_recovery *recovery) { return recovery->num_means; }

/* ---- stress at vertices ---------------------------------------------------------------------- */

/** Data shared by threads. */
typedef struct pass {
  sup_stress_rows rows;
  double         *site;
} pass;

static void weigh(void *user, int first, int end) {
  const pass *p = user;
  sup_stress_kernels_select()->rows(first, end, &p->rows, p->site);
}

void sup_recovery_apply(const sup_recovery *r, double *point, double *site) {
  const sup_element *element = r->body->element;
  pass               p = {.rows = {.row = r->row,
                                   .cell = r->cell,
                                   .weight = r->weight,
                                   .point = point,
                                   .points = element->num_points,
                                   .first_sample = element->first_sample,
                                   .samples = r->num_samples},
                          .site = site};
  sup_recovery_area_exchange(&r->area, r->body->ranks, point);
  sup_share_run(sup_fem_threads(r->body), r->mesh->num_vertices, weigh, &p);
}

void sup_recovery_mean(const sup_recovery *r, const double *site, double *vertex) {
  size_t size = 6 * (size_t)r->body->mesh->num_vertices * sizeof *vertex;
  if (!sup_recovery_has_sites(r)) {
    if (vertex != site) memcpy(vertex, site, size);
    return;
  }
  memset(vertex, 0, size);
  for (int s = 0; s < r->mesh->num_vertices; s++)
    for (int i = 0; i < 6; i++)
      vertex[6 * r->sites.vertex[s] + i] += r->sites.share[s] * site[6 * s + i];
}

/* ---- tensors --------------------------------------------------------------------------------- */

sup_m3 sup_fem_tensor(const double s[6]) {
  return (sup_m3){{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}};
}

void sup_fem_principal(int count, const double *six, double *value) {
  sup_stress_kernels_select()->principal(count, six, value);
}
