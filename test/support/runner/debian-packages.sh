# debian_packages PACKAGE…: installs packages of Debian, for whoever sources this. Checks that run side by side wait for
# each other, because apt-get fails while another one runs. Prints nothing but a failure.
debian_packages() {
  (
    flock 9
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >/dev/null 9>&-
  ) 9>"${TMPDIR:-/tmp}/debian-packages.lock"
}
