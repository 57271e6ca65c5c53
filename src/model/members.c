#include "model/members.h"

#include <math.h>

static const char *const expected[] = {[SUP_MEMBER_FINITE] = "a finite number",
                                       [SUP_MEMBER_NUMBER] = "a number",
                                       [SUP_MEMBER_POSITIVE] = "a number above 0",
                                       [SUP_MEMBER_NOT_NEGATIVE] = "a number of 0 or more",
                                       [SUP_MEMBER_UNSET] = "NAN or a number of 0 or more"};

static int is_possible(sup_member_kind kind, double x) {
  switch (kind) {
    case SUP_MEMBER_FINITE:
      return isfinite(x);
    case SUP_MEMBER_POSITIVE:
      return x > 0;
    case SUP_MEMBER_NOT_NEGATIVE:
      return x >= 0;
    case SUP_MEMBER_UNSET:
      return !(x < 0);
    default:
      return !isnan(x);
  }
}

static sup_status check(const sup_member *m, const void *at, const char *what, const char *name) {
  const double *x = at;
  if (m->kind == SUP_MEMBER_WORD) {
    int word = *(const int *)at;
    if (word >= m->lowest && word < m->count) return SUP_OK;
    return SUP_FAIL(SUP_E_ARG, "%s of %s'%s' is %d; %d to %d are possible", m->name, what, name,
                    word, m->lowest, m->count - 1);
  }
  if (m->kind == SUP_MEMBER_QUATERNION) {
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    if (square > 0 && isfinite(square)) return SUP_OK;
    return SUP_FAIL(SUP_E_ARG, "%s of %s'%s' is %g %g %g %g; a quaternion w x y z is expected",
                    m->name, what, name, x[0], x[1], x[2], x[3]);
  }
  for (int i = 0; i < m->count; i++)
    if (!is_possible(m->kind, x[i]))
      return SUP_FAIL(SUP_E_ARG, "%s of %s'%s' is %g; %s is expected", m->name, what, name, x[i],
                      expected[m->kind]);
  return SUP_OK;
}

sup_status sup_members_check(const sup_member *members, int count, const void *def,
                             const char *what, const char *name) {
  for (int i = 0; i < count; i++)
    SUP_TRY(check(&members[i], (const char *)def + members[i].offset, what, name));
  return SUP_OK;
}
