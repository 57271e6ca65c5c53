#!/bin/sh
# tests/app/packages.sh BUILD FOLDER: the Debian package has what it says and works where it is
# unpacked; the archive of the source has every file of git.  The last line is "packages: ok".
set -eu
build=$1 folder=$(realpath "$2")
fail() { echo "packages: $*"; exit 1; }
[ -d "$build/share/man" ] || ${PYTHON:-/usr/bin/python3} .ci/manual "$build/supple" "$build/share"
version=$(sed -n 's/^VERSION := //p' Makefile)
MAINTAINER=maintainers@supple.invalid SOVERSION=0 sh .ci/deb "$build" "$version" "$folder" >"$folder/deb.log" 2>&1 ||
  fail "$(cat "$folder/deb.log")"
deb=$(ls "$folder"/supple_"$version"-1_*.deb)
dpkg-deb -f "$deb" Depends | grep -q 'libc6' || fail "no dependencies: $(dpkg-deb -f "$deb" Depends)"
dpkg-deb -x "$deb" "$folder/root"
(cd "$folder/root" && dpkg-deb -I "$deb" md5sums | md5sum -c --quiet) || fail "files differ from md5sums"
for file in usr/share/doc/supple/copyright usr/share/doc/supple/changelog.gz usr/include/supple.h \
  usr/lib/python3/dist-packages/supple/simulator.py usr/share/supple/postproc/view.py; do
  [ -s "$folder/root/$file" ] || fail "no $file"
done
here=$PWD
(cd "$folder" && root/usr/bin/supple run root/usr/share/supple/examples/falling_sphere.yaml -q -o run) ||
  fail "the program does not run"
[ -s "$folder/run/summary.json" ] || fail "no results"
cd "$here"
grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no $version"
grep -q "^version: $version" CITATION.cff || fail "CITATION.cff has another version"
if git rev-parse --git-dir >/dev/null 2>&1; then
  sh .ci/dist "$version" "$folder" >/dev/null 2>&1 || fail "make dist"
  tar -tzf "$folder/supple-$version.tar.gz" | grep -v '/$' | sed "s|^supple-$version/||" | LC_ALL=C sort >"$folder/tar.txt"
  git ls-tree -r --name-only HEAD | LC_ALL=C sort | cmp -s - "$folder/tar.txt" || fail "the archive has other files than git"
fi
echo "packages: ok"
