// An eighth of a thick sphere, 10 and 14 mm, in millimetres:
// gmsh balloon.geo -3 -format msh22 -o balloon.msh
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 14, 0, Pi/2, Pi/2};
Sphere(2) = {0, 0, 0, 10, 0, Pi/2, Pi/2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("body") = {3};
e = 0.01;
x() = Surface In BoundingBox{-e, -e, -e, e, 15, 15};
y() = Surface In BoundingBox{-e, -e, -e, 15, e, 15};
z() = Surface In BoundingBox{-e, -e, -e, 15, 15, e};
i() = Surface In BoundingBox{-e, -e, -e, 10 + e, 10 + e, 10 + e};
i() -= x();
i() -= y();
i() -= z();
Physical Surface("x0") = {x()};
Physical Surface("y0") = {y()};
Physical Surface("z0") = {z()};
Physical Surface("inner") = {i()};
Mesh.MeshSizeMax = 3;
Mesh.MeshSizeMin = 3;
