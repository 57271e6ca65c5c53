/** Ranges of the members of definitions as tables, for programs that fill them.  Layer model. */
#pragma once

#include <stddef.h>

#include "base/status.h"

typedef enum sup_member_kind {
  SUP_MEMBER_FINITE,       /* doubles */
  SUP_MEMBER_NUMBER,       /* doubles that may be infinite */
  SUP_MEMBER_POSITIVE,     /* likewise, above 0 */
  SUP_MEMBER_NOT_NEGATIVE, /* likewise, 0 or more */
  SUP_MEMBER_UNSET,        /* NAN, or a double of 0 or more */
  SUP_MEMBER_QUATERNION,   /* [4], not all 0 */
  SUP_MEMBER_WORD          /* an int from 0, or SUP_NONE by `lowest`, to below `count` */
} sup_member_kind;

/** Member of a struct. */
typedef struct sup_member {
  const char     *name;
  size_t          offset;
  sup_member_kind kind;
  int             count;  /* of numbers, or of an enumeration's values */
  int             lowest; /* of a word */
} sup_member;
#define SUP_MEMBER(type, member, range, number) \
  { #member, offsetof(type, member), SUP_MEMBER_##range, number, 0 }

/** E_ARG: "friction of the contact of 'cube' is -1; ..".
 *  @param[in] what  "the contact of ", or "" */
SUP_NODISCARD sup_status sup_members_check(const sup_member *members, int count, const void *def,
                                           const char *what, const char *name);
