/** supple mesh: generate and inspect volume meshes.  Layer app. */
#pragma once

/** argv[0] is "mesh".  Returns the exit code: 0 done, 2 bad input, 3 file trouble. */
int sup_app_mesh(int argc, char **argv);
