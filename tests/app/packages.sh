#!/bin/sh
# tests/app/packages.sh BUILD FOLDER: Debian packages have what they say and work where they are
# unpacked; the archive of the source has every file of git.  The last line is "packages: ok".
set -eu
build=$1 folder=$(realpath "$2")
fail() { echo "packages: $*"; exit 1; }
[ -d "$build/share/man" ] || ${PYTHON:-/usr/bin/python3} .ci/manual "$build/supple" "$build/share"
version=$(sed -n 's/^VERSION := //p' Makefile)
MAINTAINER=maintainers@supple.invalid SOVERSION=0 sh .ci/deb "$build" "$version" "$folder" >"$folder/deb.log" 2>&1 ||
  fail "$(cat "$folder/deb.log")"
# What each has, and what it asks for.
unpack() { # PACKAGE DEPENDENCY FILE..
  package=$1 dependency=$2 deb=$(ls "$folder/$1"_"$version"-1_*.deb) root=$folder/$1.root
  shift 2
  dpkg-deb -f "$deb" Depends | grep -q "$dependency" || fail "$package depends on $(dpkg-deb -f "$deb" Depends)"
  dpkg-deb -x "$deb" "$root"
  (cd "$root" && dpkg-deb -I "$deb" md5sums | md5sum -c --quiet) || fail "files of $package differ from md5sums"
  for file in "share/doc/$package/copyright" "share/doc/$package/changelog.gz" "$@"; do
    [ -s "$root/usr/$file" ] || fail "$package has no $file"
  done
  cp -r "$root/." "$folder/root"
  (cd "$root" && find . ! -type d) >>"$folder/files"
}
unpack supple 'libc6' bin/supple share/supple/postproc/view.py share/supple/materials/tpu.yaml share/man/man1/supple.1.gz
grep -q 'three.js authors' "$folder/root/usr/share/doc/supple/copyright" || fail "no licence of three.js"
unpack libsupple0 'libc6' "lib/libsupple.so.$version" "lib/libsupple-core.so.0"
unpack libsupple-dev "libsupple0 (= $version-1)" include/supple.h include/supple/record.h share/man/man3/libsupple.3.gz
unpack python3-supple "libsupple0 (= $version-1)" lib/python3/dist-packages/supple/simulator.py
[ ! -f "$build/supple-petsc.so" ] || unpack supple-petsc 'libpetsc' lib/supple/supple-petsc.so
[ ! -f "$build/supple-hdf5.so" ] || unpack supple-hdf5 'libhdf5' lib/supple/supple-hdf5.so
[ ! -f "$build/supple-http.so" ] || unpack supple-http 'libmicrohttpd' lib/supple/supple-http.so
[ "$(readlink "$folder/root/usr/lib/libsupple.so")" = libsupple.so.0 ] || fail "libsupple.so is no link"
sort "$folder/files" | uniq -d | grep . && fail "in two packages"
here=$PWD
(cd "$folder" && root/usr/bin/supple run root/usr/share/supple/examples/falling_sphere.yaml -q -o run) ||
  fail "the program does not run"
[ -s "$folder/run/summary.json" ] || fail "no results"
(cd "$folder" && PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import supple
supple.load("root/usr/share/supple/examples/finray_grasp.yaml").step()') || fail "the package for Python does not run"
cd "$here"
grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no $version"
grep -q "^version: $version" CITATION.cff || fail "CITATION.cff has another version"
if git rev-parse --git-dir >/dev/null 2>&1; then
  sh .ci/dist "$version" "$folder" >/dev/null 2>&1 || fail "make dist"
  tar -tzf "$folder/supple-$version.tar.gz" | grep -v '/$' | sed "s|^supple-$version/||" | LC_ALL=C sort >"$folder/tar.txt"
  git ls-tree -r --name-only HEAD | LC_ALL=C sort | cmp -s - "$folder/tar.txt" || fail "the archive has other files than git"
fi
echo "packages: ok"
