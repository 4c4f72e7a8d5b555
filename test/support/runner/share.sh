# Says which share of its work a script does today, for whoever sources this with a number N: CI_SHARE=K/N, the Kth of N
# parts, where K follows the days (UTC). So N days do all of it, and .ci/nightly does all in one night. Whoever sets
# CI_SHARE chooses another share, with any N; 1/1 is all.
export CI_SHARE=${CI_SHARE:-$(($(date -u +%s) / 86400 % $1 + 1))/$1}
echo "CI_SHARE=$CI_SHARE (1/1 is all)"

# in_share K: whether the Kth of the things that a script does belongs to the share.
in_share() {
  [ $((($1 - ${CI_SHARE%/*}) % ${CI_SHARE#*/})) -eq 0 ]
}
