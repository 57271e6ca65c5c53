# What the completion for zsh offers behind the words of a line: completion.zsh FILE LINE.
# compadd and its kin work only while zsh completes; here they print what they are given.
typeset -a words
integer CURRENT
PREFIX=""
compset() { PREFIX=${PREFIX##*=} }
_files() { print -r -- "files $*" }
compadd() {
  local -a offered
  local word
  [[ $1 == -S ]] && shift 2
  shift  # --
  for word in "$@"; do [[ $word == $PREFIX* ]] && offered+=$word; done
  print -r -- "$offered"
}
eval "$(sed 's/^_supple "\$@"$//' $1)"
words=("${(@s: :)2}") CURRENT=${#words} PREFIX=${words[-1]}
_supple
