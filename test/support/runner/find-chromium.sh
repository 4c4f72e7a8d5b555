# Names a Chromium in CHROMIUM for whoever sources this: the given one, else Debian's, which it installs when it is missing.
if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || {
    echo 'Chromium is missing and could not be installed; set CHROMIUM to the path of one.'
    echo '0 passed, 1 failed'
    exit 1
  }
fi
export CHROMIUM=${CHROMIUM:-$(command -v chromium)}
