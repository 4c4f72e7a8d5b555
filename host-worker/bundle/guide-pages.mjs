import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked } from 'marked'

/**
 * The pages of `/guides`, a line for each, in the order in which they are listed: the name in the address, the file, and
 * what the page is about. The guides come first, then the manuals that stand beside the code.
 */
const guideList = `
start | host-worker/guides/start.md | Get a key, read the first page, and know which way leads on.
first-form | host-worker/guides/first-form.md | From nothing to a live form: its address, a page of yours, an email, and what came in.
console | host-worker/guides/console.md | See what came in and what went out, and change it, in a browser.
sync | host-worker/guides/sync.md | Keep a copy of an organization’s data that misses no change and no removal.
forms | host-worker/guides/forms.md | Put a form on any website: plain HTML, or JSON; what is answered and why.
contacts | host-worker/guides/contacts.md | Import a list of customers as you have it, and see beforehand what becomes of it.
webhooks | host-worker/guides/webhooks.md | Have your program called when a form was submitted or a contact has changed.
sends | domain/messaging/README.md | Send text messages and email, and know what arrived.
errors-and-limits | host-worker/guides/errors-and-limits.md | What each status means, what may be repeated, and how much is allowed.
deploy | host-worker/deploy/README.md | From a Cloudflare account to a service that answers.
operate | host-worker/README.md | Configure and watch a deployment; rotate its secret; its limits and how it scales.
back-up-and-restore | domain/organizations/README.md | Archives, backups and their drill, erasing and retention.
operator-commands | host-worker/operator/README.md | Organizations, keys, forms, imports and archives from a command line.
operator-interface | domain/operators/README.md | The same over HTTP, with keys and roles for operators.
form-client | host-worker/browser/README.md | One script that keeps the visitor on the page of a form.
after-a-submission | domain/jobs/README.md | Notifications and automations, and how they are tried again.
form-language | domain/forms/language/README.md | Every type, setting and rule of a form.
analytics | domain/analytics/README.md | The figures about memberships.
points-of-sale | domain/pos/README.md | Data of point-of-sale systems.
odbc-gateway | adapters/pos-odbc/README.md | The program that stands beside ODBC databases.
exit-survey | adapters/exit-survey-clickhouse/README.md | The cancellation survey in ClickHouse.
links | adapters/links-dub/README.md | Short links at Dub.
families | adapters/durable-object/README.md | A database of its own for an organization and all below it.
placement | domain/placement/README.md | How the service finds the database of an organization, and moves it.
library | host-worker/http/README.md | The service, in whole or in parts, in a program of your own.
sqlite-on-node | adapters/node-sqlite/README.md | The storage for such programs in Node.
changelog | CHANGELOG.md | What changed in each version.
`
  .trim()
  .split('\n')
  .map((line) => line.split(' | '))

/** How many of the list are guides; the others are manuals. */
const GUIDE_COUNT = 12

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const nameOf = new Map(guideList.map(([name, path]) => [path, name]))

/** The guides with their Markdown and their HTML. The files are the project's own, so their HTML is trusted. */
export function renderGuides() {
  return guideList.map(([name, path, about], index) => {
    const source = readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n')
    const title = /^# (.+)$/m.exec(source)?.[1] ?? name
    return {
      name,
      title,
      about,
      isGuide: index < GUIDE_COUNT,
      markdown: withLinks(source, path),
      html: toHtml(source, path),
    }
  })
}

/**
 * The address on this service that a link of a manual leads to; null: the file is not served, as most of the code is
 * not.
 * @param ending what a page's address ends with: `.md` from Markdown to Markdown
 */
function addressOf(href, from, ending) {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href
  const [path, anchor] = href.split('#')
  const name = nameOf.get(normalize(join(dirname(from), path)).replaceAll('\\', '/'))
  return name === undefined ? null : `/guides/${name}${ending}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Markdown with links that lead to pages of this service. A link to a file that is not served becomes its text. */
function withLinks(source, from) {
  return source
    .split(/(^```.*?^```)/ms)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (_, text, href) => {
            const address = addressOf(href, from, '.md')
            return address === null ? text : `[${text}](${address})`
          }),
    )
    .join('')
}

function toHtml(source, from) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const address = addressOf(href, from, '')
        const text = this.parser.parseInline(tokens)
        return address === null ? text : `<a href="${address}">${text}</a>`
      },
      code({ text, lang }) {
        const label = lang === '' || lang === undefined ? 'Example' : `Example in ${lang}`
        return `<pre tabindex="0" role="region" aria-label="${label}"><code>${escaped(text)}</code></pre>\n`
      },
      table({ header, rows }) {
        const row = (cells, tag) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        // A wide table scrolls by itself, also with the keyboard, and the page does not.
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(source)
}

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Replaces the module that renders the guides by one that contains them, because a Worker has no files. */
export const guidePages = {
  name: 'guide-pages',
  setup(build) {
    build.onLoad({ filter: /[\\/]pages[\\/]guide-pages\.ts$/ }, () => ({
      contents: `export const guidePages = ${JSON.stringify(renderGuides())}`,
      resolveDir: root,
    }))
  },
}
