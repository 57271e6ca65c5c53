#include "fem/recovery/recovery_area.h"

#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"

enum { ROUND = 256 }; /* cells that are sent to a rank at a time: some 100 kB of bricks */

/** Data of a cell that a rank sends to others. */
typedef struct told {
  int    place, material, corner[SUP_CELL_MAX_VERTICES];
  double volume;
} told;

/** Area under construction. */
typedef struct builder {
  sup_recovery_area    *area;
  const sup_fem_body   *body;
  const sup_collective *ranks;
  int                   corners; /* vertices of a cell */
  size_t                bytes;   /* of a bit for each vertex */
  unsigned char        *wanted;  /* [bytes] vertices here */
  unsigned char        *all;     /* [ranks x bytes] of everybody */
  unsigned char        *is_sent; /* [ranks x own cells] */
  told                 *cell;    /* [num_cells] */
  size_t                num_cells, capacity;
  told                 *out, *in; /* scratch */
  size_t                out_capacity, in_capacity;
  int64_t              *count, *counts; /* [ranks]; [ranks x ranks] number of cells from a to b */
  sup_message          *message;        /* [ranks] */
} builder;

static bool has_bit(const unsigned char *bits, int i) { return bits[i / 8] >> (i % 8) & 1; }

static void want(builder *b, const int *corner) {
  for (int a = 0; a < b->corners; a++)
    b->wanted[corner[a] / 8] |= (unsigned char)(1 << (corner[a] % 8));
}

static told tell(const builder *b, int c) {
  const sup_fem_body *body = b->body;
  told                cell = {.place = sup_fem_given(body, c),
                              .material = body->cell_material[c],
                              .volume = sup_fem_volume_of(body, c)};
  memcpy(cell.corner, sup_mesh_cell(body->mesh, c), (size_t)b->corners * sizeof *cell.corner);
  return cell;
}

static sup_status add(builder *b, const told *cell) {
  SUP_TRY(SUP_GROW(b->cell, b->capacity, b->num_cells + 1));
  b->cell[b->num_cells++] = *cell;
  return SUP_OK;
}

static bool is_wanted(const builder *b, int rank, int c) {
  const unsigned char *bits = b->all + b->bytes * (size_t)rank;
  const int           *corner = sup_mesh_cell(b->body->mesh, c);
  for (int a = 0; a < b->corners; a++)
    if (has_bit(bits, corner[a])) return 1;
  return 0;
}

/** Append to `out` own cells that another rank needs and does not have. */
static sup_status choose(builder *b, int rank, size_t *used) {
  int                own = b->body->mesh->num_cells;
  unsigned char     *is_sent = b->is_sent + (size_t)rank * (size_t)own;
  sup_recovery_link *link = &b->area->link[rank];
  for (int c = 0; c < own; c++) {
    if (is_sent[c] || !is_wanted(b, rank, c)) continue;
    SUP_TRY(SUP_GROW(b->out, b->out_capacity, *used + 1));
    SUP_TRY(SUP_GROW(link->sent, link->sent_capacity, link->num_sent + 1));
    is_sent[c] = 1;
    b->out[(*used)++] = tell(b, c);
    link->sent[link->num_sent++] = sup_fem_given(b->body, c);
    b->count[rank]++;
  }
  return SUP_OK;
}

static sup_status choose_all(builder *b, size_t *used) {
  for (int r = 0; r < b->ranks->size; r++) {
    b->count[r] = 0;
    if (r != b->ranks->rank) SUP_TRY(choose(b, r, used));
  }
  return SUP_OK;
}

static size_t of_two(const builder *b, int other) {
  int    size = b->ranks->size, own = b->ranks->rank;
  size_t there = (size_t)b->counts[own * size + other],
         back = (size_t)b->counts[other * size + own];
  return there > back ? there : back;
}

/** Place messages in the buffers; both directions of a pair get the size of the longer one. */
static sup_status spread(builder *b, size_t used) {
  size_t room = 0, from = used, to;
  for (int r = 0; r < b->ranks->size; r++) room += of_two(b, r);
  SUP_TRY(SUP_GROW(b->out, b->out_capacity, room + 1));
  SUP_TRY(SUP_GROW(b->in, b->in_capacity, room + 1));
  to = room;
  for (int r = b->ranks->size; r-- > 0;) { /* from the last on, since each moves to the right */
    size_t count = (size_t)b->count[r];
    to -= of_two(b, r), from -= count;
    memmove(b->out + to, b->out + from, count * sizeof *b->out);
    b->message[r] = (sup_message){r, of_two(b, r) * sizeof(told), b->out + to, b->in + to};
  }
  return SUP_OK;
}

static sup_status take_in(builder *b) {
  sup_recovery_link *link = b->area->link;
  for (int r = 0; r < b->ranks->size; r++) {
    int64_t     count = b->counts[r * b->ranks->size + b->ranks->rank];
    const told *cell = b->message[r].in;
    for (int64_t k = 0; k < count; k++) {
      SUP_TRY(SUP_GROW(link[r].got, link[r].got_capacity, link[r].num_got + 1));
      link[r].got[link[r].num_got++] = (int)b->num_cells;
      SUP_TRY(add(b, &cell[k]));
      want(b, cell[k].corner);
    }
  }
  return SUP_OK;
}

/** Add one layer of cells. */
static sup_status grow(builder *b) {
  const sup_collective *ranks = b->ranks;
  size_t                used = 0;
  int                   num_messages = 0;
  ranks->gather(ranks, b->bytes, b->wanted, b->all);
  SUP_TRY(sup_agree(ranks, choose_all(b, &used)));
  ranks->gather(ranks, (size_t)ranks->size * sizeof *b->count, b->count, b->counts);
  SUP_TRY(sup_agree(ranks, spread(b, used)));
  sup_message *message = NULL;
  SUP_TRY(sup_agree(ranks, SUP_CALLOC(message, ranks->size)));
  for (int r = 0; r < ranks->size; r++)
    if (b->message[r].bytes > 0) message[num_messages++] = b->message[r];
  ranks->exchange(ranks, num_messages, message);
  SUP_FREE(message);
  SUP_TRY(sup_agree(ranks, take_in(b)));
  return SUP_OK;
}

static sup_status begin(builder *b) {
  int size = b->ranks->size, own = b->body->mesh->num_cells;
  SUP_TRY(SUP_CALLOC(b->area->link, size));
  b->area->num_links = size;
  SUP_TRY(SUP_CALLOC(b->wanted, b->bytes));
  SUP_TRY(SUP_CALLOC(b->all, b->bytes * (size_t)size));
  SUP_TRY(SUP_CALLOC(b->is_sent, (size_t)size * (size_t)own));
  SUP_TRY(SUP_CALLOC(b->count, size));
  SUP_TRY(SUP_CALLOC(b->counts, (size_t)size * (size_t)size));
  SUP_TRY(SUP_CALLOC(b->message, size));
  for (int c = 0; c < own; c++) want(b, sup_mesh_cell(b->body->mesh, c));
  return SUP_OK;
}

/** Number of cells in the next message after `done` cells; sender and receiver compute the same
 * number. */
static size_t in_round(const sup_recovery_link *link, size_t done) {
  size_t all = (size_t)(link->num_sent > link->num_got ? link->num_sent : link->num_got);
  return all <= done ? 0 : all - done < ROUND ? all - done : ROUND;
}

/** Room for the messages of a round, at most one to each rank. */
static sup_status prepare_messages(sup_recovery_area *area) {
  size_t room = 0;
  for (int r = 0; r < area->num_links; r++)
    room += (size_t)area->width * in_round(&area->link[r], 0);
  SUP_TRY(SUP_CALLOC(area->message, area->num_links));
  SUP_TRY(SUP_CALLOC(area->out, room));
  SUP_TRY(SUP_CALLOC(area->in, room));
  return SUP_OK;
}

/** Arrays of all cells; those of others come behind the own ones. */
static sup_status finish(builder *b) {
  sup_recovery_area *area = b->area;
  size_t             own = (size_t)area->num_own;
  area->num_cells = (int)b->num_cells;
  SUP_TRY(SUP_CALLOC(area->place, b->num_cells));
  SUP_TRY(SUP_CALLOC(area->material, b->num_cells));
  SUP_TRY(SUP_CALLOC(area->volume, b->num_cells));
  for (size_t c = 0; c < b->num_cells; c++) {
    area->place[c] = c < own ? b->cell[c].place : (int)c;
    area->material[c] = b->cell[c].material, area->volume[c] = b->cell[c].volume;
  }
  if (!b->ranks) return SUP_OK;
  const sup_mesh *mesh = b->body->mesh;
  SUP_TRY(SUP_CALLOC(area->rank, b->num_cells));
  SUP_TRY(sup_mesh_create(&area->joined, mesh->type, mesh->num_vertices, (int)b->num_cells));
  memcpy(area->joined->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  for (size_t c = 0; c < b->num_cells; c++) {
    area->rank[c] = b->ranks->rank;
    memcpy(area->joined->cell + c * (size_t)b->corners, b->cell[c].corner,
           (size_t)b->corners * sizeof(int));
  }
  for (int r = 0; r < area->num_links; r++)
    for (int k = 0; k < area->link[r].num_got; k++) area->rank[area->link[r].got[k]] = r;
  area->mesh = area->joined;
  SUP_TRY(prepare_messages(area));
  return SUP_OK;
}

static sup_status build(builder *b, int layers) {
  if (b->ranks) SUP_TRY(sup_agree(b->ranks, begin(b)));
  sup_status status = SUP_OK;
  for (int c = 0; c < b->area->num_own && status == SUP_OK; c++) {
    told cell = tell(b, c);
    status = add(b, &cell);
  }
  SUP_TRY(sup_agree(b->ranks, status));
  for (int layer = 0; layer < layers && b->ranks; layer++) SUP_TRY(grow(b));
  SUP_TRY(sup_agree(b->ranks, finish(b)));
  return SUP_OK;
}

sup_status sup_recovery_area_create(sup_recovery_area *area, const sup_fem_body *body, int layers) {
  *area = (sup_recovery_area){
      .mesh = body->mesh, .num_own = body->mesh->num_cells, .width = 6 * body->element->num_points};
  builder    b = {.area = area,
                  .body = body,
                  .ranks = body->ranks,
                  .corners = body->element->num_vertices,
                  .bytes = (size_t)body->mesh->num_vertices / 8 + 1};
  sup_status status = build(&b, layers);
  SUP_FREE_ALL(&b.wanted, &b.all, &b.is_sent, &b.cell, &b.out, &b.in, &b.count, &b.counts,
               &b.message);
  if (status != SUP_OK) sup_recovery_area_free(area);
  return status;
}

void sup_recovery_area_trim(sup_recovery_area *area) {
  sup_mesh_destroy(&area->joined);
  area->mesh = NULL;
  SUP_FREE_ALL(&area->place, &area->material, &area->volume, &area->rank);
}

void sup_recovery_area_free(sup_recovery_area *area) {
  sup_recovery_area_trim(area);
  for (int r = 0; r < area->num_links; r++) {
    SUP_FREE_ALL(&area->link[r].sent, &area->link[r].got);
  }
  SUP_FREE_ALL(&area->link, &area->message, &area->out, &area->in);
  area->num_links = 0;
}

/** Stresses of listed cells from the k-th on, at most `count`: into `with` or from there. */
static void copy_cells(const sup_recovery_area *area, const int *list, int num, size_t k,
                       size_t count, double *point, double *with, bool is_out) {
  size_t row = (size_t)area->width;
  for (size_t end = k + count; k < end && k < (size_t)num; k++, with += row) {
    double *of_cell = point + row * (size_t)list[k];
    memcpy(is_out ? with : of_cell, is_out ? of_cell : with, row * sizeof *with);
  }
}

void sup_recovery_area_exchange(const sup_recovery_area *area, const sup_collective *ranks,
                                double *point) {
  for (size_t done = 0;; done += ROUND) {
    size_t at = 0;
    int    num = 0;
    for (int r = 0; r < area->num_links; r++) {
      const sup_recovery_link *link = &area->link[r];
      size_t                   count = in_round(link, done), size = (size_t)area->width * count;
      if (count == 0) continue;
      copy_cells(area, link->sent, link->num_sent, done, count, point, area->out + at, 1);
      area->message[num++] = (sup_message){r, size * sizeof *point, area->out + at, area->in + at};
      at += size;
    }
    if (num == 0) return;
    ranks->exchange(ranks, num, area->message);
    for (int m = 0; m < num; m++) {
      const sup_recovery_link *link = &area->link[area->message[m].rank];
      copy_cells(area, link->got, link->num_got, done, ROUND, point, area->message[m].in, 0);
    }
  }
}
