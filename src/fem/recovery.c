/* Stress at vertices: what the fits make of the stress at points. */
#include "fem/recovery.h"

#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/patch.h"
#include "fem/recovery_parts.h"
#include "fem/stress_kernel.h"

sup_status sup_recovery_create(sup_recovery **recovery, const sup_fem_body *body,
                               sup_recovery_method method) {
  *recovery = NULL;
  sup_recovery *r = NULL;
  SUP_TRY(SUP_CALLOC(r, 1));
  r->body = body;
  sup_status status = sup_recovery_build(r, method);
  if (status != SUP_OK) sup_recovery_destroy(&r);
  *recovery = r;
  return status;
}

void sup_recovery_destroy(sup_recovery **recovery) {
  sup_recovery *r = *recovery;
  if (!r) return;
  sup_fem_sites_free(&r->sites);
  SUP_FREE(r->patch);
  SUP_FREE(r->cell);
  SUP_FREE(r->weight);
  SUP_FREE(r->first_served);
  SUP_FREE(r->served);
  sup_ranges_free(&r->ranges);
  SUP_FREE(r->share);
  SUP_FREE(*recovery);
}

int sup_recovery_num_sites(const sup_recovery *recovery) { return recovery->mesh->num_vertices; }

int sup_recovery_num_means(const sup_recovery *recovery) { return recovery->num_means; }

/* ---- stress at vertices ---------------------------------------------------------------------- */

/** out := coefficient t of a patch's polynomial, of each component. */
static void coefficient(const sup_recovery *r, const sup_recovery_patch *p, int t,
                        const double *point, double out[6]) {
  size_t points = (size_t)r->body->element->num_points,
         first = (size_t)r->body->element->first_sample;
  size_t        samples = points - first;
  const double *w = r->weight + p->first_weight + (size_t)t * samples * (size_t)p->num_cells;
  double        sum[6] = {0};
  for (int k = 0; k < p->num_cells; k++) {
    const double *s = point + 6 * (points * (size_t)r->cell[p->first_cell + (size_t)k] + first);
    for (size_t q = 0; q < samples; q++, s += 6, w++)
      for (int i = 0; i < 6; i++) sum[i] += *w * s[i];
  }
  memcpy(out, sum, sizeof sum);
}

/** What threads share. */
typedef struct pass {
  const sup_recovery *recovery;
  const double       *point;
  double             *site;
} pass;

/** What patch k says of the vertices that the range owns; those of which it is the first to speak
 * begin with it. */
static void speak(void *user, const sup_range *range, int k) {
  const pass               *s = user;
  const sup_recovery       *r = s->recovery;
  const sup_recovery_patch *p = &r->patch[k];
  double                    c[SUP_PATCH_MAX_TERMS][6];
  int                       any = 0;
  for (size_t m = r->first_served[k]; m < r->first_served[k + 1] && !any; m++)
    any = sup_range_owns(range, r->served[m].vertex);
  if (!any) return;
  for (int t = 0; t < p->num_terms; t++) coefficient(r, p, t, s->point, c[t]);
  for (size_t m = r->first_served[k]; m < r->first_served[k + 1]; m++) {
    int    vertex = r->served[m].vertex;
    double x[3], value[SUP_PATCH_MAX_TERMS], *to = s->site + 6 * (size_t)vertex;
    if (!sup_range_owns(range, vertex)) continue;
    if (r->ranges.home[vertex] == k) memset(to, 0, 6 * sizeof *to);
    sup_recovery_place(r, p, vertex, x);
    sup_patch_monomials(x, p->num_terms, value);
    for (int t = 0; t < p->num_terms; t++)
      for (int i = 0; i < 6; i++) to[i] += r->served[m].share * value[t] * c[t][i];
  }
}

void sup_recovery_apply(const sup_recovery *r, const double *point, double *site) {
  sup_ranges_run(&r->ranges, sup_fem_threads(r->body), speak, &(pass){r, point, site});
}

void sup_recovery_mean(const sup_recovery *r, const double *site, double *vertex) {
  size_t size = 6 * (size_t)r->body->mesh->num_vertices * sizeof *vertex;
  if (!r->sites.mesh) {
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
