/** Types and functions that the parts of the SDF reader share.  Private to sdf*.c. */
#pragma once

#include "base/vec.h"
#include "scene/robot/robot_reader.h"

enum { SUP_SDF_MAX_FRAMES = 1024, SUP_SDF_MAX_FILES = 32, SUP_SDF_WORLD = -1 };

typedef enum sup_sdf_kind {
  SUP_SDF_MODEL,
  SUP_SDF_LINK,
  SUP_SDF_JOINT,
  SUP_SDF_FRAME
} sup_sdf_kind;

/** A model, link, joint or frame, to which poses may be relative. */
typedef struct sup_sdf_frame {
  char                name[SUP_NAME_MAX]; /* with those of the models about it: OUTER::INNER */
  sup_sdf_kind        kind;
  const sup_xml_node *node;
  int                 model;   /* frame of the model that holds it; SUP_SDF_WORLD: the outermost */
  const sup_xml_node *include; /* that brought the model; NULL: none */
  char                prefix[SUP_NAME_MAX]; /* of names in the model */
  bool                is_known, is_sought;  /* the place */
  sup_frame           X;                    /* in the world */
} sup_sdf_frame;

typedef struct sup_sdf {
  sup_robot_reader *r;
  int               num_frames, num_files;
  sup_xml          *file[SUP_SDF_MAX_FILES];
  sup_sdf_frame     frame[SUP_SDF_MAX_FRAMES];
  bool              rests; /* `static` */
} sup_sdf;

/** The models, links, joints and frames of a model and of what it holds and includes. */
SUP_NODISCARD sup_status sup_sdf_collect(sup_sdf *s, const sup_xml_node *model);
/** Frame of a name as it is seen from inside of a model. */
SUP_NODISCARD sup_status sup_sdf_find(const sup_sdf *s, const sup_xml_node *node, int model,
                                      const char *name, int *frame);
/** The link to which a frame is attached; SUP_SDF_WORLD: to none. */
SUP_NODISCARD sup_status sup_sdf_link_of(sup_sdf *s, int frame, int *link);
/** Place of a frame in the world, at the start; that of the world is the identity. */
SUP_NODISCARD sup_status sup_sdf_place(sup_sdf *s, int frame, sup_frame *X);
/** Pose of a part of the model: <pose>, relative to what it names or to `otherwise`, in the world.
 */
SUP_NODISCARD sup_status sup_sdf_pose(sup_sdf *s, const sup_xml_node *part, int model,
                                      int otherwise, sup_frame *X);
