/* The section `contact` and its pairs. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"

/* ---- keys ------------------------------------------------------------------------------------ */

#define WORD(NAME, name, meaning) {#name, meaning},
static const sup_word normal_laws[] = {SUP_NORMAL_LAW_LIST(WORD)},
                      softenings[] = {SUP_FRICTION_SOFTENING_LIST(WORD)},
                      solvers[] = {SUP_CONTACT_SOLVER_LIST(WORD)},
                      sticks[] = {SUP_STICK_LIST(WORD)};
#undef WORD
#define WORD(NAME, name, LAW, is_regularized, meaning) {#name, meaning},
static const sup_word models[] = {SUP_CONTACT_MODEL_LIST(WORD)};
#undef WORD

static const sup_word delassus[] = {
    {"diagonal", "J diag(A)^-1 J^T"},
    {"full", "with the inverse of each body's or vertex's diagonal block"}};
static const sup_word cuts[] = {{"polygons", "one contact a polygon"},
                                {"triangles", "a fan of triangles a polygon"}};
static const sup_word force_places[] = {
    {"centroid", "centroid of the polygon"},
    {"pressure_centre", "centre of pressure: moments do not depend on the cut"}};

static const sup_word soft_surfaces[] = {
    {"polygons", "one on each piece of a face inside of the shape"},
    {"vertices", "one at each vertex, by the mean depth of the faces around it"}};
static const sup_word compliances[] = {{"law", "that of the normal law"}, {"rigid", "none"}};

static const sup_key dual_keys[] = {
    SUP_NUMBER("tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_scene, options.dual.tolerance),
               "1.0e-4",
               "Tolerance of the contact law relative to the pressing contacts; a larger "
               "residual is a WARN."),
    SUP_INTEGER("max_iterations", 0, SUP_AT(sup_scene, options.dual.max_iterations), "500",
                "Most iterations of a solution; 0: the solver's own cap."),
    SUP_NUMBER("over_relaxation", SUP_DIM_NUMBER, SUP_POSITIVE,
               SUP_AT(sup_scene, options.dual.over_relaxation), "1.3",
               "Over-relaxation of sweeps from contact to contact; 1: none; below 2."),
    SUP_INTEGER("subspace", 0, SUP_AT(sup_scene, options.dual.subspace), "0",
                "Sweeps between solutions of all contacts at once, each open, sticking or "
                "sliding; 0: sweeps alone, as in the papers."),
    SUP_NUMBER("proximal", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_scene, options.dual.proximal),
               "1.0e-8",
               "Proximal weight of ccp_admm and of steps of all contacts at once, relative to "
               "the inverse mass."),
    SUP_NUMBER("alpha", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_scene, options.dual.alpha),
               "1.0e-3", "mujoco: compliance of contacts over their inverse mass."),
    SUP_WORD("compliance", compliances, SUP_AT(sup_scene, options.dual.rigid), "rigid",
             "Compliance of contacts along the normal; not of the model sap."),
    SUP_NUMBER("baumgarte", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, options.dual.baumgarte), "0.2",
               "With 'compliance: rigid': share of an overlap that a step removes."),
    SUP_NUMBER("restitution", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, options.dual.restitution), "0.8",
               "With 'compliance: rigid': normal velocity after an impact over that before "
               "it; not of the model sap."),
    SUP_WORD("hand_over", solvers, SUP_AT(sup_scene, options.dual.hand_over), "ccp_admm",
             "Solver of islands with a residual above hand_over_above."),
    SUP_NUMBER("hand_over_above", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, options.dual.hand_over_above), "1.0e-2",
               "Residual of the contact law above which an island is handed over; 0: never."),
    SUP_BOOLEAN("warm_start", SUP_AT(sup_scene, options.dual.warm_start), "false",
                "Solutions start from the impulses of the step before.")};
static const sup_schema dual_schema =
    SUP_SCHEMA("dual", dual_keys, "Solvers that iterate on impulses: all but newton and tamsi.");

/** Keys of the scene's barriers; a pair has its own keys. */
static const sup_key barrier_keys[] = {
    SUP_NUMBER("energy", SUP_DIM_ENERGY, SUP_POSITIVE,
               SUP_AT(sup_scene, model.contact.barrier_energy), "1.0e-5 J",
               "Strength of the barriers in points: their force tends to energy/gap as the gap "
               "closes."),
    SUP_NUMBER("surface_energy", SUP_DIM_STIFFNESS, SUP_POSITIVE,
               SUP_AT(sup_scene, model.contact.barrier_surface_energy), "1 N/m",
               "Strength of the barriers of soft surfaces: their pressure tends to "
               "surface_energy/gap."),
    SUP_NUMBER("range", SUP_DIM_LENGTH, SUP_POSITIVE,
               SUP_AT(sup_scene, model.contact.barrier_range), "1 mm",
               "Gap at which the IPC barrier begins.")};
static const sup_schema barrier_schema =
    SUP_SCHEMA("barrier", barrier_keys, "The normal laws log_barrier and ipc_barrier.");

static const sup_key patch_keys[] = {
    SUP_WORD("cut", cuts, SUP_AT(sup_scene, options.patch_triangles), "triangles",
             "Contacts that replace a patch of pressure fields."),
    SUP_WORD("force_at", force_places, SUP_AT(sup_scene, options.patch_at_pressure),
             "pressure_centre", "Point of action of the force of each contact of a patch.")};
static const sup_schema patch_schema =
    SUP_SCHEMA("patch", patch_keys, "Contacts of patches of pressure fields.");

static const sup_key pair_barrier_keys[] = {
    SUP_NUMBER("energy", SUP_DIM_ENERGY, SUP_POSITIVE, SUP_AT(sup_pair_def, barrier_energy),
               "1.0e-5 J",
               "Strength of the barriers in points: their force tends to energy/gap as the gap "
               "closes.",
               .need = SUP_OPTIONAL, .absent = "that of contact"),
    SUP_NUMBER("surface_energy", SUP_DIM_STIFFNESS, SUP_POSITIVE,
               SUP_AT(sup_pair_def, barrier_surface_energy), "1 N/m",
               "Strength of the barriers of soft surfaces: their pressure tends to "
               "surface_energy/gap.",
               .need = SUP_OPTIONAL, .absent = "that of contact"),
    SUP_NUMBER("range", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_pair_def, barrier_range), "1 mm",
               "Gap at which the IPC barrier begins.", .need = SUP_OPTIONAL,
               .absent = "that of contact")};
static const sup_schema pair_barrier =
    SUP_SCHEMA("barrier", pair_barrier_keys, "The pair's barrier.");

#define OF_BODIES .need = SUP_OPTIONAL, .absent = "follows from the two bodies"
static const sup_key pair_keys[] = {
    SUP_CUSTOM("bodies", SUP_KEY_LIST, "[cylinder, floor]", "The two bodies.", .need = SUP_NEEDED),
    SUP_BOOLEAN("enabled", SUP_BY_CODE, "false",
                "The two bodies touch each other; false: they pass through.", .absent = "true"),
    SUP_WORD("model", models, SUP_AT(sup_pair_def, model), "sap", "Friction model of the pair.",
             .need = SUP_OPTIONAL, .absent = "that of contact"),
    SUP_WORD("normal_law", normal_laws, SUP_AT(sup_pair_def, normal_law), "kelvin_voigt",
             "Normal law of the pair.", .need = SUP_OPTIONAL, .absent = "that of contact"),
    SUP_NUMBER(
        "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(sup_pair_def, friction), "0.8",
        "Coulomb's coefficient of sliding friction; without static_friction, of all friction.",
        OF_BODIES),
    SUP_NUMBER("static_friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_pair_def, static_friction), "1.0",
               "Coefficient of friction at rest; it has no effect unless it is above friction.",
               OF_BODIES),
    SUP_NUMBER("rolling_friction", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_pair_def, rolling_friction), "0.1 mm",
               "Points: moment against rolling over the normal force.", OF_BODIES),
    SUP_NUMBER("torsional_friction", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_pair_def, torsional_friction), "1 mm",
               "Points: moment against spin over the bound of sliding friction.", OF_BODIES),
    SUP_NUMBER("dissipation", SUP_DIM_DISSIPATION, SUP_NOT_NEGATIVE,
               SUP_AT(sup_pair_def, dissipation), "10 s/m",
               "Dissipation of the normal laws of Hunt and Crossley and of Hertz.", OF_BODIES),
    SUP_NUMBER("relaxation_time", SUP_DIM_TIME, SUP_NOT_NEGATIVE,
               SUP_AT(sup_pair_def, relaxation_time), "1 ms",
               "Relaxation time of SAP and of the law of Kelvin and Voigt.", OF_BODIES),
    SUP_NUMBER("stiffness", SUP_DIM_CONTACT_STIFFNESS, SUP_POSITIVE,
               SUP_AT(sup_pair_def, stiffness), "2.0e+10 Pa/m",
               "Pressure a metre of penetration; not between soft bodies or with a compliant one.",
               OF_BODIES),
    SUP_SECTION("point", sup_schema_point, SUP_AT(sup_pair_def, point_stiffness),
                "{stiffness: 1.0e+5 N/m}", "Stiffness of the pair in point contact.", OF_BODIES),
    SUP_NUMBER("hertz_radius", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_pair_def, hertz_radius),
               "10 mm",
               "1/(1/R_A + 1/R_B) of the law of Hertz, for shapes other than a sphere on a sphere "
               "or a flat face.",
               .need = SUP_OPTIONAL, .absent = "follows from spheres and flat faces"),
    SUP_SECTION("barrier", pair_barrier, SUP_HERE, "{energy: 1.0e-6 J}", "The pair's barrier.",
                .need = SUP_OPTIONAL)};
static const sup_schema pair_schema =
    SUP_SCHEMA("contact pair", pair_keys,
               "Contact laws of one pair of bodies; what is said in vain is an error.");

static const sup_word tamsi_couplings[] = {{"two_way", "of the same velocities (LU, UMFPACK)"},
                                           {"one_way", "of the step's start"}},
                      tamsi_limits[] = {{"tals", "transition-aware"}, {"none", "whole steps"}},
                      tamsi_newtons[] = {{"full", "in each iteration"},
                                         {"quasi", "reused while the iteration converges"}};
static const sup_key tamsi_keys[] = {
    SUP_WORD("coupling", tamsi_couplings, SUP_AT(sup_scene, options.tamsi.coupling), "one_way",
             "Normal force that bounds friction."),
    SUP_WORD("line_search", tamsi_limits, SUP_AT(sup_scene, options.tamsi.is_unlimited), "none",
             "Limit on the change of slip in an iteration."),
    SUP_WORD("newton", tamsi_newtons, SUP_AT(sup_scene, options.tamsi.is_quasi), "quasi",
             "Factorisation of the matrix."),
    SUP_INTEGER("iterations", 1, SUP_AT(sup_scene, options.tamsi.max_iterations), "20",
                "Largest number of Newton iterations of a step or substep."),
    SUP_BOOLEAN("descent", SUP_AT(sup_scene, options.tamsi.descends), "false",
                "Iterations with TALS before a descent of the convex cost as with newton."),
    SUP_INTEGER("substeps", 1, SUP_AT(sup_scene, options.tamsi.max_substeps), "20",
                "Largest number of substeps of a step in which Newton's method fails.")};
static const sup_schema tamsi_schema = SUP_SCHEMA("tamsi", tamsi_keys, "The contact solver tamsi.");

static const sup_key contact_keys[] = {
    SUP_WORD("model", models, SUP_AT(sup_scene, model.contact.model), "similar",
             "Friction model of all pairs."),
    SUP_WORD("normal_law", normal_laws, SUP_AT(sup_scene, model.contact.normal_law), "kelvin_voigt",
             "Normal law of all models but sap; hertz is for rigid shapes in point contact, the "
             "barriers for these and for soft bodies on rigid ones."),
    SUP_WORD("solver", solvers, SUP_AT(sup_scene, options.contact_solver), "newton",
             "Solver of the contact problem of a step."),
    SUP_SECTION("dual", dual_schema, SUP_HERE, "{tolerance: 1.0e-4, max_iterations: 500}",
                "Solvers that iterate on impulses: all but newton and tamsi."),
    SUP_SECTION("tamsi", tamsi_schema, SUP_HERE, "{coupling: one_way}",
                "Options of the solver tamsi."),
    SUP_WORD("delassus", delassus, SUP_AT(sup_scene, options.delassus), "full",
             "Estimate of the inverse masses in sigma and beta."),
    SUP_SECTION("barrier", barrier_schema, SUP_HERE, "{energy: 1.0e-5 J, range: 1 mm}",
                "The normal laws log_barrier and ipc_barrier."),
    SUP_SECTION("patch", patch_schema, SUP_HERE, "{cut: triangles}",
                "Contacts of patches of pressure fields."),
    SUP_WORD("soft_surface", soft_surfaces, SUP_AT(sup_scene, model.contact.soft_surface),
             "vertices", "Contacts of a soft surface with the depth of a rigid shape."),
    SUP_NUMBER("layer", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_scene, model.contact.layer), "20",
               "Stiffness of the contact layer of soft surfaces relative to (lambda + 2 mu)/h "
               "of their cells."),
    SUP_NUMBER("stiction_tolerance", SUP_DIM_VELOCITY, SUP_POSITIVE,
               SUP_AT(sup_scene, options.stiction_tolerance), "0.1 mm/s",
               "Speed scale over which friction builds up. By size: 3e-7 of the smallest body's "
               "radius a second.",
               .need = SUP_OPTIONAL, .absent = "by size"),
    SUP_WORD("stick", sticks, SUP_AT(sup_scene, options.stick), "elastic",
             "Model of sticking contacts, with lagged and coupled friction in motion."),
    SUP_WORD("softening", softenings, SUP_AT(sup_scene, options.softening), "linear",
             "Growth of friction to its bound with s = slip/stiction_tolerance: s/sqrt(1 + "
             "s^2), s, or s (2 - s) up to 1 (not of sap)."),
    SUP_NUMBER("static_slip", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_scene, options.static_slip),
               "1 um",
               "supple static: slip over which friction builds up; by default "
               "stiction_tolerance, or 0.1 mm/s, times the step.",
               .need = SUP_OPTIONAL, .absent = "see below"),
    SUP_NUMBER("sigma", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, options.sigma),
               "1.0e-3",
               "Regularisation of friction: sticking contacts creep at up to sigma times "
               "inverse mass times friction bound (not lagged)."),
    SUP_NUMBER("beta", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, options.beta), "1",
               "Shortest period of rigid surfaces and SAP in steps, which bounds their "
               "stiffness; 0: no bound."),
    SUP_INTEGER("friction_sweeps", 1, SUP_AT(sup_scene, options.friction_sweeps), "3",
                "Lagged models: solutions of a step; friction of the first is bounded by the "
                "normal impulse of the step's start."),
    SUP_NUMBER("sweep_tolerance", SUP_DIM_NUMBER, SUP_POSITIVE,
               SUP_AT(sup_scene, options.sweep_tolerance), "1 %",
               "Relative change of the normal impulses that ends the sweeps."),
    SUP_NUMBER("margin", SUP_DIM_LENGTH, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, model.contact.barrier_margin), "0.1 m",
               "Largest gap of pairs under the logarithmic barrier, which acts at any "
               "distance."),
    SUP_SECTION("defaults", sup_schema_contact_defaults, SUP_BY_CODE,
                "{friction: 0.4, resolution: 5 mm}",
                "Contact properties of bodies that do not name their own."),
    SUP_CUSTOM("pairs", SUP_KEY_SECTIONS, "[{bodies: [cylinder, floor], friction: 0.2}]",
               "Contact laws of single pairs of bodies.", .schema = &pair_schema)};
const sup_schema sup_schema_contact =
    SUP_SCHEMA("contact", contact_keys,
               "Contact laws, properties that bodies have by default, and those of pairs.");

/* ---- the section ----------------------------------------------------------------------------- */

static sup_status open_contact(const sup_scene_build *b, sup_section *section) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(&b->root, "contact", &node));
  SUP_TRY(sup_section_open(section, node, &sup_schema_contact, NULL));
  return SUP_OK;
}

sup_status sup_scene_read_contact(sup_scene_build *b) {
  sup_section section;
  sup_node   *node;
  SUP_TRY(open_contact(b, &section));
  SUP_TRY(sup_section_read(&section, b->scene));
  b->contact = sup_default_contact_def();
  SUP_TRY(sup_section_mapping(&section, "defaults", &node));
  SUP_TRY(sup_read_contact_defaults(node, &b->contact));
  return SUP_OK;
}

sup_status sup_scene_read_stiction(sup_scene_build *b) {
  sup_section section;
  SUP_TRY(open_contact(b, &section));
  SUP_TRY(sup_scene_choose_stiction(&section, &b->scene->model, &b->scene->options));
  return SUP_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool is_same_pair(const sup_pair_def *p, const sup_pair_def *q) {
  return (strcmp(p->a, q->a) == 0 && strcmp(p->b, q->b) == 0) ||
         (strcmp(p->a, q->b) == 0 && strcmp(p->b, q->a) == 0);
}

static sup_status read_pair(const sup_scene_build *b, sup_node *node, sup_pair_def *pair) {
  sup_section   section;
  sup_node     *bodies;
  sup_body_name body;
  char          what[SUP_SOURCE_POSITION_SIZE];
  int           enabled = 1;
  *pair = sup_default_pair_def();
  SUP_TRY(sup_section_open(&section, node, &pair_schema, NULL));
  SUP_TRY(sup_section_require(&section, "bodies", &bodies));
  if (bodies->type != SUP_NODE_SEQUENCE || bodies->num_children != 2)
    return SUP_FAIL_AT(bodies->place, "bodies must be a list of two bodies [A, B]; found %s",
                       sup_node_describe(bodies, what));
  SUP_TRY(sup_scene_find_body(b, sup_node_at(bodies, 0), "contact pair", pair->a, &body));
  SUP_TRY(sup_scene_find_body(b, sup_node_at(bodies, 1), "contact pair", pair->b, &body));
  if (strcmp(pair->a, pair->b) == 0)
    return SUP_FAIL_AT(bodies->place, "a contact pair needs two bodies; '%s' is named twice",
                       pair->a);
  SUP_TRY(sup_read_boolean(&section, "enabled", &enabled));
  pair->disabled = !enabled;
  if (!enabled)
    for (const sup_node *c = node->child; c; c = c->next)
      if (strcmp(c->key, "bodies") != 0 && strcmp(c->key, "enabled") != 0)
        return SUP_FAIL_AT(c->key_place, "the pair has 'enabled: false'; its '%s' has no effect",
                           c->key);
  SUP_TRY(sup_section_read(&section, pair));
  return SUP_OK;
}

sup_status sup_scene_read_pairs(sup_scene_build *b) {
  sup_model_def *model = &b->scene->model;
  sup_section    section;
  SUP_TRY(open_contact(b, &section));
  sup_node *pairs = sup_section_entry(&section, "pairs");
  if (!pairs) return SUP_OK;
  SUP_TRY(sup_node_check_list(pairs, "pairs"));
  const int num_files = model->num_pairs; /* of robots' files, behind those of the scene */
  size_t    capacity = (size_t)num_files;
  SUP_TRY(SUP_GROW(model->pairs, capacity, num_files + pairs->num_children));
  for (sup_node *c = pairs->child; c; c = c->next) {
    const int    first = model->num_pairs - num_files;
    sup_pair_def pair;
    SUP_TRY(read_pair(b, c, &pair));
    for (int i = 0; i < first; i++)
      if (is_same_pair(&model->pairs[i], &pair))
        return SUP_FAIL_AT(c->place, "the pair of '%s' and '%s' is given twice", pair.a, pair.b);
    memmove(model->pairs + first + 1, model->pairs + first, (size_t)num_files * sizeof pair);
    model->pairs[first] = pair, model->num_pairs++;
  }
  return SUP_OK;
}
