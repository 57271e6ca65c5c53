#!/bin/sh
# The commands that made the meshes of this folder: sh meshes/make.sh [PROGRAM [FOLDER]], from the project's root.
set -eu
supple=${1:-build/release/supple}
folder=${2:-meshes}

# FinRay-S, 80 x 30 x 20 mm, 1704 tetrahedra: the mesh of the stiffness case G01a.  For comparison only: with one linear
# tetrahedron through each wall the finger is four times too stiff.
"$supple" mesh finray --pattern kuhn --ascii -o "$folder/finray_s_t4.vtk"

# The same finger for use: 984 vertices.  Six bricks along each cavity and across the ribs follow the bending of walls and
# ribs, so that three over the depth are enough.
"$supple" mesh finray --pattern hex --inner-cells 6 --cavity-cells 6 --depth-cells 3 --ascii -o "$folder/finray_h8.vtk"
