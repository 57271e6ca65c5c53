// A bar with a closed cavity above its middle, in millimetres:
// gmsh pneumatic_finger.geo -3 -format msh22 -o pneumatic_finger.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 80, 14, 14};
Box(2) = {6, 3, 6, 71, 8, 5.5};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("body") = {3};
e = 0.1;
s() = Surface In BoundingBox{6 - e, 3 - e, 6 - e, 77 + e, 11 + e, 11.5 + e};
Physical Surface("cavity") = {s()};
b() = Surface In BoundingBox{-e, -e, -e, e, 14 + e, 14 + e};
Physical Surface("base") = {b()};
Mesh.MeshSizeMax = 5;
