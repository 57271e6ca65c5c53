/* Links that carry vertices of soft bodies. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "model/build/build.h"
#include "model/kinematics.h"

sup_status sup_model_blame(const char *file, int line, int column, sup_status status) {
  if (status == SUP_OK || !file) return status;
  size_t length = strlen(file); /* a part of it may have been blamed */
  if (strncmp(sup_error_message(), file, length) == 0 && sup_error_message()[length] == ':')
    return status;
  if (line == 0) return SUP_FAIL(status, "%s: %s", file, sup_error_message());
  return SUP_FAIL(status, "%s:%d:%d: %s", file, line, column, sup_error_message());
}

/** Poses of all bodies' frames at the initial state. */
static sup_status initial_frames(const sup_model *model, sup_arena *arena, const sup_frame **X_WL) {
  const sup_increment any = {.t0 = 0, .h = 1}; /* poses do not depend on its duration */
  sup_kinematics      kin;
  SUP_TRY(sup_kinematics_compute(&kin, model, &any, model->q0, model->v0, arena));
  *X_WL = kin.X_WL;
  return SUP_OK;
}

static sup_status find_link(const sup_model *model, const sup_soft_def *def, const char *name,
                            int *body) {
  *body = sup_model_find_body(model, name);
  if (*body == SUP_NONE || model->body[*body].soft != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    "soft body '%s' is attached to '%s', which is no link and no rigid body",
                    def->name, name);
  return SUP_OK;
}

int sup_model_weld_root(const sup_tree *tree, int link) {
  while (tree->links[link].joint == SUP_JOINT_FIXED && tree->links[link].parent != SUP_NONE)
    link = tree->links[link].parent;
  return link;
}

int sup_model_carrier(const sup_model *model, const sup_soft *soft, const sup_body *link) {
  const sup_tree *tree = model->tree[link->tree];
  for (int k = 0; k < soft->num_attachments; k++)
    if (soft->attachment[k].tree == link->tree &&
        sup_model_weld_root(tree, soft->attachment[k].link) ==
            sup_model_weld_root(tree, link->link))
      return k;
  return SUP_NONE;
}

/** The attachment to a link, which several regions may share. */
static int enter_link(const sup_model *model, sup_soft *soft, int body) {
  int tree = model->body[body].tree, k = 0, t = 0;
  while (k < soft->num_attachments && soft->attachment[k].body != body) k++;
  if (k < soft->num_attachments) return k;
  int nv = model->tree[tree]->nv;
  soft->attachment[soft->num_attachments++] =
      (sup_attachment_link){.body = body, .tree = tree, .link = model->body[body].link, .nv = nv};
  if (nv > soft->attach_nv) soft->attach_nv = nv;
  while (t < soft->num_attach_trees && soft->attach_tree[t] != tree) t++;
  if (nv > 0 && t == soft->num_attach_trees) soft->attach_tree[soft->num_attach_trees++] = tree;
  return k;
}

static sup_status attach(const sup_model *model, sup_soft *soft, const sup_soft_def *def,
                         const sup_attach_def *attachment, unsigned char *selected) {
  int body;
  memset(selected, 0, (size_t)soft->num_vertices);
  SUP_TRY(find_link(model, def, attachment->link, &body));
  SUP_TRY(
      sup_model_select_region(def->mesh, &attachment->region, def->name, "attach", 1, selected));
  int                  k = enter_link(model, soft, body);
  sup_attachment_link *link = &soft->attachment[k];
  link->contact_beyond = fmax(link->contact_beyond, attachment->contact_beyond);
  for (int i = 0; i < soft->num_vertices; i++) {
    if (!selected[i]) continue;
    int other = soft->attach_of[i];
    if (other != SUP_NONE && other != k)
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': the vertex of its mesh at (%g %g %g) m is attached to '%s' "
                      "and to '%s'; choose regions that share no vertex",
                      soft->name, def->mesh->x[3 * i], def->mesh->x[3 * i + 1],
                      def->mesh->x[3 * i + 2], model->body[soft->attachment[other].body].name,
                      model->body[body].name);
    soft->attach_of[i] = k;
    soft->kind[i] = SUP_VERTEX_ATTACHED;
  }
  return SUP_OK;
}

/** The linear law measures displacements from the mesh as it lies: a turned pose would strain it.
 */
static sup_status check_turn(const sup_soft *soft) {
  const sup_m3 *R = &soft->X_WM.R;
  double        turn = 0;
  for (int i = 0; i < 9; i++) turn = fmax(turn, fabs(R->m[i / 3][i % 3] - (i % 4 == 0)));
  for (int k = 0; k < sup_fem_num_materials(soft->fem); k++)
    if (turn > 1e-9 && sup_fem_material(soft->fem, k)->model == SUP_MATERIAL_LINEAR)
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': the law 'linear' has no rotations, so that its turned pose "
                      "would strain it; take 'linear_corotational', or turn the mesh",
                      soft->name);
  return SUP_OK;
}

/** Set x0, world positions at time 0, and attach_point, positions in the frames of links. */
static sup_status place(const sup_model *model, sup_soft *soft, const sup_soft_def *def) {
  sup_frame           X_LS = sup_frame_from_pose(&def->X_WS), X_WL = sup_frame_identity();
  const sup_frame    *pose = NULL;
  SUP_OWN(sup_arena) *arena = NULL;
  SUP_TRY(sup_arena_create(&arena, 1 << 12));
  if (soft->num_attachments > 0) {
    SUP_TRY(initial_frames(model, arena, &pose));
    X_WL = pose[soft->attachment[0].body];
  }
  soft->X_WM = sup_frame_mul(&X_WL, &X_LS);
  SUP_TRY(check_turn(soft));
  for (int i = 0; i < soft->num_vertices; i++) {
    int    on = soft->attach_of[i];
    sup_v3 p_L = sup_frame_apply(&X_LS, sup_v3_load(def->mesh->x + 3 * i)),
           p_W = sup_frame_apply(&X_WL, p_L);
    if (on > 0) p_L = sup_frame_apply_inverse(&pose[soft->attachment[on].body], p_W);
    if (on != SUP_NONE) sup_v3_store(soft->attach_point + 3 * i, p_L);
    sup_v3_store(soft->x0 + 3 * i, p_W);
  }
  return SUP_OK;
}

sup_status sup_model_build_attachments(sup_model *model, sup_soft *soft, const sup_soft_def *def) {
  SUP_FREED unsigned char *selected = NULL;
  SUP_TRY(SUP_CALLOC(soft->attach_slot, soft->num_vertices));
  SUP_TRY(SUP_CALLOC(soft->attach_of, soft->num_vertices));
  int n = def->num_attachments > 0 ? soft->num_vertices : 0;
  SUP_TRY(SUP_CALLOC(soft->attach_point, 3 * n));
  SUP_TRY(SUP_CALLOC(soft->attachment, def->num_attachments));
  SUP_TRY(SUP_CALLOC(soft->attach_tree, def->num_attachments));
  SUP_TRY(SUP_CALLOC(selected, soft->num_vertices));
  for (int i = 0; i < soft->num_vertices; i++) soft->attach_of[i] = SUP_NONE;
  for (int k = 0; k < def->num_attachments; k++) {
    const sup_attach_def *a = &def->attachments[k];
    SUP_TRY(sup_model_blame(a->file, a->line, a->column, attach(model, soft, def, a, selected)));
  }
  SUP_TRY(place(model, soft, def));
  soft->first_attachment = model->num_attachments;
  model->num_attachments += soft->num_attachments;
  return SUP_OK;
}

/** Mark the faces with a vertex within the distance of point p. */
static void mark_close(const sup_soft *soft, sup_v3 p, double distance, int *face,
                       unsigned char *close) {
  int     n = soft->surface->vertices_per_face;
  sup_v3  d = sup_v3_make(distance, distance, distance);
  sup_box box = {sup_v3_sub(p, d), sup_v3_add(p, d)};
  int     count = sup_bvh_query(soft->bvh->node, &box, face);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n && !close[face[i]]; k++) {
      sup_v3 q = sup_v3_load(soft->x0 + 3 * soft->surface->face[n * face[i] + k]);
      close[face[i]] = !(sup_v3_norm(sup_v3_sub(q, p)) > distance);
    }
}

/** Faces near the vertices attached to the links that attachment k stands for. */
static sup_status leave_out(const sup_model *model, sup_soft *soft, int k) {
  sup_attachment_link *link = &soft->attachment[k];
  int                  num_close = 0, num_faces = soft->surface->num_faces;
  SUP_FREED int       *face = NULL;
  SUP_TRY(SUP_CALLOC(face, num_faces));
  SUP_TRY(SUP_CALLOC(link->close, num_faces));
  for (int i = 0; i < soft->num_vertices; i++) {
    int on = soft->attach_of[i];
    if (on != SUP_NONE &&
        sup_model_carrier(model, soft, &model->body[soft->attachment[on].body]) == k)
      mark_close(soft, sup_v3_load(soft->x0 + 3 * i), link->contact_beyond, face, link->close);
  }
  for (int f = 0; f < num_faces; f++) num_close += link->close[f];
  const char *name = model->body[link->body].name;
  if (num_close == num_faces)
    return SUP_FAIL(SUP_E_ARG,
                    "soft body '%s': no face is farther than %g m from its vertices attached to "
                    "'%s'; choose a smaller 'contact_beyond'",
                    soft->name, link->contact_beyond, name);
  sup_log(SUP_LOG_NOTE, "'%s' touches '%s', which carries it, by %d of its %d faces", soft->name,
          name, num_faces - num_close, num_faces);
  return SUP_OK;
}

sup_status sup_model_build_left_out(const sup_model *model, sup_soft *soft,
                                    const sup_soft_def *def) {
  for (int k = 0; k < soft->num_attachments; k++) {
    int first = sup_model_carrier(model, soft, &model->body[soft->attachment[k].body]);
    soft->attachment[first].contact_beyond =
        fmax(soft->attachment[first].contact_beyond, soft->attachment[k].contact_beyond);
  }
  for (int k = 0; k < def->num_attachments; k++) {
    const sup_attach_def *a = &def->attachments[k];
    int first = sup_model_carrier(model, soft, &model->body[sup_model_find_body(model, a->link)]);
    if (a->contact_beyond > 0 && !soft->attachment[first].close)
      SUP_TRY(sup_model_blame(a->file, a->line, a->column, leave_out(model, soft, first)));
  }
  return SUP_OK;
}
