/** Schema of scenes: one row a key, one table a section.  Layer scene.
 *
 *  The table of a section stands in the file that reads it.  Reading (scene/schema/section.h),
 * messages with the nearest word, `supple help scene`, `--set` and the tests work from the rows: a
 * new key is one row, plus a member of the definition that it fills.  Tables refer to the tables of
 * the sections below them, so that everything is reached from sup_schema_scene and
 * sup_schema_study. */
#pragma once

#include <stddef.h>

#include "scene/file/units.h"

typedef enum sup_key_type {
  SUP_KEY_NUMBER,  /* double */
  SUP_KEY_INTEGER, /* int, `lowest` or more */
  SUP_KEY_BOOLEAN, /* int 0 or 1 */
  SUP_KEY_WORD,    /* int, index into `words` */
  SUP_KEY_VECTOR,  /* double[3] */
  SUP_KEY_AXES,    /* double[3], given as a list or as one number for all axes */
  SUP_KEY_NAME,    /* char[SUP_NAME_MAX], a name that the user chooses */
  SUP_KEY_SECTION, /* a mapping with the keys of `schema` */
  /* the rest is always read by the section's own code */
  SUP_KEY_TEXT,
  SUP_KEY_FILE,        /* path, relative to the file that names it */
  SUP_KEY_REFERENCE,   /* the name of a body, joint, material or set */
  SUP_KEY_TABLE,       /* rows [t, value ...], or a mapping with the keys of sup_schema_table */
  SUP_KEY_LIST,        /* of the example */
  SUP_KEY_SECTIONS,    /* a list of mappings with the keys of `schema` each */
  SUP_KEY_ONE_OR_MORE, /* such a mapping, or a list of them */
  SUP_KEY_COLLECTION,  /* {NAME: mapping with the keys of `schema`}, names that the user chooses */
  SUP_KEY_ENTRIES,     /* {NAME: value}, names of existing joints, links, sets; `schema` when
                          values are mappings */
  SUP_NUM_KEY_TYPES
} sup_key_type;

/** Range of valid numbers; of a vector each component. */
typedef enum sup_range {
  SUP_ANY,
  SUP_POSITIVE,
  SUP_NOT_NEGATIVE,
  SUP_UP_TO_ONE, /* 0 <= x <= 1 */
  SUP_BELOW_ONE  /* 0 < x < 1 */
} sup_range;

/** Treatment of an absent key. */
typedef enum sup_need {
  SUP_DEFAULT, /* the target keeps its value, which is written into the tree */
  SUP_NEEDED,  /* an error; in a section that is_override as SUP_DEFAULT */
  SUP_OPTIONAL /* the target keeps its value, the tree stays as it is */
} sup_need;

typedef struct sup_word {
  const char *name;
  const char *meaning; /* may be NULL */
} sup_word;

/** Member of the struct that a section is read into; size 0: the section's own code reads the key.
 */
typedef struct sup_key_member {
  size_t offset, size;
} sup_key_member;
#define SUP_AT(type, member) \
  { offsetof(type, member), sizeof(((type *)0)->member) }
#define SUP_HERE \
  { 0, 1 } /* of a SUP_KEY_SECTION whose keys are members of the same struct */
#define SUP_ITSELF(type) \
  { 0, sizeof(type) } /* the target is no struct but the value */
#define SUP_BY_CODE \
  { 0, 0 }

typedef struct sup_schema sup_schema;

typedef struct sup_key {
  const char    *name;
  sup_key_type   type;
  sup_dimension  dimension; /* of numbers, vectors and columns of tables */
  sup_range      range;
  sup_key_member place;
  const char    *example; /* a value that can be pasted behind "KEY: " */
  const char    *meaning; /* one sentence */
  sup_need       need;
  const char *absent; /* value of an absent key, where the target has none; NULL: its value there */
  int         lowest;
  const sup_word   *words;
  int               num_words;
  const sup_schema *schema;
  int               by_code; /* 1: the section's own code reads it although it has a place */
  unsigned          only;    /* bits of the variants of the section that have the key; 0: all */
} sup_key;

struct sup_schema {
  const char    *title; /* for messages: "contact", "an entry of shapes" */
  const char    *meaning;
  const sup_key *keys;
  int            num_keys;
  int            is_choice; /* exactly one of the keys is given */
  unsigned       variant;   /* bit among sup_key.only; 0: all keys */
  /* fills a target of `size` bytes with the defaults; NULL: that of the section above, or none */
  void (*defaults)(void *target);
  size_t size;
};

/* ---- rows: members of all keys of a type, then .member = value for the rest -------------------
 */

#define SUP_NUMBER(key, dim, which, at, pasted, ...)                                    \
  {                                                                                     \
    .name = key, .type = SUP_KEY_NUMBER, .dimension = dim, .range = which, .place = at, \
    .example = pasted, .meaning = __VA_ARGS__                                           \
  }
#define SUP_INTEGER(key, least, at, pasted, ...)                                           \
  {                                                                                        \
    .name = key, .type = SUP_KEY_INTEGER, .lowest = least, .place = at, .example = pasted, \
    .meaning = __VA_ARGS__                                                                 \
  }
#define SUP_BOOLEAN(key, at, pasted, ...) \
  { .name = key, .type = SUP_KEY_BOOLEAN, .place = at, .example = pasted, .meaning = __VA_ARGS__ }
/** `list`: array of sup_word */
#define SUP_WORD(key, list, at, pasted, ...)                                           \
  {                                                                                    \
    .name = key, .type = SUP_KEY_WORD, .words = list,                                  \
    .num_words = (int)(sizeof(list) / sizeof *(list)), .place = at, .example = pasted, \
    .meaning = __VA_ARGS__                                                             \
  }
#define SUP_VECTOR(key, dim, which, at, pasted, ...)                                    \
  {                                                                                     \
    .name = key, .type = SUP_KEY_VECTOR, .dimension = dim, .range = which, .place = at, \
    .example = pasted, .meaning = __VA_ARGS__                                           \
  }
#define SUP_AXES(key, dim, which, at, pasted, ...)                                    \
  {                                                                                   \
    .name = key, .type = SUP_KEY_AXES, .dimension = dim, .range = which, .place = at, \
    .example = pasted, .meaning = __VA_ARGS__                                         \
  }
/** `below`: the section's sup_schema */
#define SUP_SECTION(key, below, at, pasted, ...)                                              \
  {                                                                                           \
    .name = key, .type = SUP_KEY_SECTION, .schema = &(below), .place = at, .example = pasted, \
    .meaning = __VA_ARGS__                                                                    \
  }
/** A key of any type that the section's own code reads. */
#define SUP_CUSTOM(key, kind, pasted, ...) \
  { .name = key, .type = kind, .example = pasted, .meaning = __VA_ARGS__ }

/** Members keys and num_keys of a sup_schema. */
#define SUP_KEYS(table) .keys = (table), .num_keys = (int)(sizeof(table) / sizeof *(table))
/** Members defaults and size of a sup_schema whose values are of the type. */
#define SUP_DEFAULTS(function, type) .defaults = (function), .size = sizeof(type)
/** A sup_schema: title, table of its keys, meaning; then other members by name. */
#define SUP_SCHEMA(name, table, ...) \
  { .title = name, SUP_KEYS(table), .meaning = __VA_ARGS__ }

/* ---- using the tables ------------------------------------------------------------------------ */

/** The keys of all scenes (scene/scene.c). */
extern const sup_schema sup_schema_scene;
/** The keys of all tables over time, which may stand in the place of their rows (table.c). */
extern const sup_schema sup_schema_table;

/** 1: this variant of the section has the key. */
bool sup_schema_has(const sup_schema *schema, const sup_key *key);
/** Row of a key, NULL when there is none. */
const sup_key *sup_schema_key(const sup_schema *schema, const char *name);
/** Names of the keys in order; returns how many of at most `max`. */
int sup_schema_names(const sup_schema *schema, const char **names, int max);
/** Words of a key in order; returns how many of at most `max`. */
int sup_key_words(const sup_key *key, const char **names, int max);
/** 1: the entries of this key have names, which are segments of paths. */
bool sup_key_has_names(const sup_key *key);

enum { SUP_SCHEMA_PATH_SIZE = 256, SUP_SCHEMA_MAX_KEYS = 64, SUP_SCHEMA_MAX_DEPTH = 8 };

/** One key on the walk through a schema and all below it. */
typedef struct sup_schema_step {
  const char
      *path; /* "soft.mesh.finray.wall": without names of bodies and numbers of list entries */
  int  depth;
  const sup_key    *key;
  const sup_schema *schema; /* that the key is of */
  const void       *target; /* with the defaults of the section; NULL: it has none */
} sup_schema_step;

/** Call visit for every key, a section's before those below it; not 0 ends the walk and is
 * returned. */
int sup_schema_walk(const sup_schema *root, int (*visit)(const sup_schema_step *step, void *user),
                    void             *user);

/** Key or section at a path, "contact.pairs.friction"; a path may have names and numbers,
 * "soft.finger.material", "soft.NAME.material", "output.pairs.0". */
typedef struct sup_schema_target {
  const sup_schema *schema;        /* of the last key, or of the section that has no such key */
  const sup_key    *key;           /* the last key; NULL: the root, or no such key */
  int               is_entry;      /* the path ends at an entry of the key, not at the key itself */
  size_t            known;         /* letters of the path that were understood */
  char path[SUP_SCHEMA_PATH_SIZE]; /* without names and numbers, as far as it was understood */
} sup_schema_target;

/** @return 1 when the whole path was understood */
int sup_schema_find(const sup_schema *root, const char *path, sup_schema_target *place);

/** Example of a value at a path, from the row of its key; NULL: there is none. */
const char *sup_schema_example(const sup_schema *root, const char *path,
                               char text[SUP_SCHEMA_PATH_SIZE]);

/** Paths below `prefix` ("": everywhere) that end in `tail`, "friction" or "mesh.file": path [max].
 * Returns how many.
 */
int sup_schema_ends(const sup_schema *root, const char *prefix, const char *tail, int max,
                    char (*path)[SUP_SCHEMA_PATH_SIZE]);
/** 1: the word is near enough to a key of the schema to be a misspelling of it. */
bool sup_schema_is_near(const sup_schema *schema, const char *word);

/** "a length, positive", "true or false", "one of: a, b"; the kind of value of a key for people */
const char *sup_key_kind(const sup_key *key, char *text, size_t size);
/** "positive", "0 or more"; "": any */
const char *sup_range_text(sup_range range);
/** Default of an absent key as text: "needed", "10 ms", "none"; target from the walk */
const char *sup_key_default(const sup_schema_step *step, char *text, size_t size);
