# Names a Chromium in CHROMIUM for whoever sources this: the given one, else Debian's headless shell, which it installs when
# it is missing. The shell has the same engine as the browser, without its windows, and takes two thirds of its CPU time.
source test/support/runner/debian-packages.sh
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium-headless-shell >/dev/null; then
  debian_packages chromium-headless-shell fonts-dejavu-core || {
    echo 'Chromium is missing and could not be installed; set CHROMIUM to the path of one.'
    echo '0 passed, 1 failed'
    exit 1
  }
fi
export CHROMIUM=${CHROMIUM:-$(command -v chromium-headless-shell)}
