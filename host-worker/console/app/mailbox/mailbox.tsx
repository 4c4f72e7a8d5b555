import { render, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { searchText } from '../../../../domain/text/http.ts'
import { Button, TextField, Toasts, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import {
  Empty,
  Facts,
  FailureNote,
  PageHeader,
  Shown,
  ThemeButton,
  countText,
  followTheme,
  momentText,
  sizeText,
  useSettled,
} from '../kit/page.tsx'
import { ClientContext, createClient } from '../service/client.ts'
import { useAction, useRead } from '../service/hooks.ts'
import '../style/base.css'
import '../style/components.css'
import '../style/pages.css'
import './mailbox.css'

const EVERY_MS = 3_000

/** The local mailbox: the messages that a deployment would have sent, and the one that is in the address. */
function MailboxPage() {
  const given = new URLSearchParams(useSearch())
  const search = given.get('search') ?? ''
  const messageId = given.get('message')
  const [, navigate] = useLocation()
  const [isEmptying, setEmptying] = useState(false)
  const list = useRead<Messages>(PATH, { search, brief: 'yes' }, { everyMs: EVERY_MS })
  const emptying = useAction(
    (client) => client.send('DELETE', PATH),
    () => {
      setEmptying(false)
      toast('All messages are deleted.')
      list.reload()
      navigate(addressOf(null, search))
    },
  )
  return (
    <main class="mailbox" id="content" tabIndex={-1}>
      <PageHeader
        title="Mailbox"
        actions={
          <>
            {/* No link of the router, which has the mailbox alone. */}
            <a class="button plain" href="/">
              Start page
            </a>
            <Button onClick={calls(setEmptying, true)}>Delete all</Button>
            <ThemeButton />
          </>
        }
      >
        <p class="soft">What a deployment would have sent. New messages appear by themselves.</p>
      </PageHeader>
      <div class={messageId === null ? 'mailbox-panes' : 'mailbox-panes opened'}>
        <section class="mailbox-list" aria-label="Messages">
          <SearchField search={search} messageId={messageId} />
          <Shown reading={list} lines={6}>
            {(read) => <List {...read} search={search} messageId={messageId} />}
          </Shown>
        </section>
        {messageId !== null && (
          <MessageView key={messageId} messageId={messageId} search={search} onDeleted={list.reload} />
        )}
      </div>
      {isEmptying && (
        <ConfirmDialog
          title="Delete all messages?"
          verb="Delete all"
          action={emptying}
          onClose={calls(setEmptying, false)}
        >
          <p>Those that a search does not show go too. Nothing that was submitted or sent changes.</p>
        </ConfirmDialog>
      )}
      <Toasts />
    </main>
  )
}

function SearchField({ search, messageId }: { readonly search: string; readonly messageId: string | null }) {
  const [text, setText] = useState(search)
  const [, navigate] = useLocation()
  const settled = useSettled(text.trim())
  useEffect(() => {
    if (settled !== search) navigate(addressOf(messageId, settled), { replace: true })
  }, [settled])
  return <TextField label="Search" type="search" value={text} onValue={setText} autocomplete="off" />
}

interface ListProps extends Messages {
  readonly search: string
  readonly messageId: string | null
}

function List({ messages, isWhole, search, messageId }: ListProps) {
  return (
    <>
      <p role="status" class="soft">
        {isWhole ? countText(messages.length) : `The last ${countText(messages.length)}`}{' '}
        {messages.length === 1 ? 'message' : 'messages'}
      </p>
      {messages.length === 0 && search === '' && (
        <Empty title="Nothing was sent yet.">Submit a form, or send something: it appears here.</Empty>
      )}
      {messages.length === 0 && search !== '' && <Empty title="No message has that in it." />}
      <ul class="plain-list">
        {messages.map((message) => (
          <li key={message.messageId}>
            <Link
              href={addressOf(message.messageId, search)}
              aria-current={message.messageId === messageId ? 'true' : undefined}
            >
              <strong dir="auto">{titleOf(message)}</strong>
              <span class="soft">
                To <bdi>{message.to}</bdi>
              </span>
              <span class="soft">
                {message.channel === 'email' ? 'Email' : message.channel.toUpperCase()},{' '}
                <time dateTime={message.at}>{momentText(message.at)}</time>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

interface MessageViewProps {
  readonly messageId: string
  readonly search: string
  readonly onDeleted: () => void
}

/** One message, with what one can do to it. */
function MessageView({ messageId, search, onDeleted }: MessageViewProps) {
  const found = useRead<Messages>(PATH, { id: messageId })
  const [, navigate] = useLocation()
  const deletion = useAction(
    (client) => client.send('DELETE', `${PATH}?id=${encodeURIComponent(messageId)}`),
    () => {
      toast('The message is deleted.')
      onDeleted()
      navigate(addressOf(null, search))
      document.getElementById('content')?.focus()
    },
  )
  return (
    <section class="card mailbox-message" aria-label="Message">
      <p class="mailbox-back">
        <Link href={addressOf(null, search)}>All messages</Link>
      </p>
      {deletion.failure !== null && <FailureNote failure={deletion.failure} />}
      <Shown reading={found} lines={8}>
        {({ messages: [message] }) =>
          message === undefined ? (
            <Empty title="This message is not in the mailbox.">It was deleted, or there never was one.</Empty>
          ) : (
            <Opened
              message={message}
              actions={
                <Button kind="danger" isRunning={deletion.isRunning} onClick={calls(deletion.run, undefined)}>
                  Delete
                </Button>
              }
            />
          )
        }
      </Shown>
    </section>
  )
}

function Opened({ message, actions }: { readonly message: Message; readonly actions: ComponentChildren }) {
  const { from, to, replyTo, at, attachments, mediaUrls, headers } = message
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
  }, [])
  return (
    <>
      <header class="card-head">
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {titleOf(message)}
        </h2>
        {actions}
      </header>
      <Facts
        facts={[
          ['From', <bdi key="from">{from}</bdi>],
          ['To', <bdi key="to">{to}</bdi>],
          ...(replyTo === null ? [] : [['Replies to', <bdi key="reply">{replyTo}</bdi>] as const]),
          ...Object.entries(headers).map(([name, value]) => [name, value] as const),
          ['At', momentText(at)],
          ...(attachments.length === 0
            ? []
            : [['Attachments', <Attachments key="attachments" message={message} />] as const]),
        ]}
      />
      <Content message={message} />
      {mediaUrls.map((url) => (
        <Picture key={url} url={url} />
      ))}
    </>
  )
}

const VIEWS = { html: 'HTML', text: 'Text', source: 'Source' } as const
type View = keyof typeof VIEWS

/** The content: as it looks (emails only), as text alone, or as it was handed over. */
function Content({ message }: { readonly message: Message }) {
  const views: readonly View[] = message.html === null ? ['text', 'source'] : ['html', 'text', 'source']
  const [view, setView] = useState<View>(views[0] ?? 'text')
  return (
    <>
      <div class="buttons mailbox-views" role="group" aria-label="Show as">
        {views.map((one) => (
          <Button key={one} aria-pressed={one === view} onClick={calls(setView, one)}>
            {VIEWS[one]}
          </Button>
        ))}
      </div>
      {view === 'html' && <Framed messageId={message.messageId} />}
      {view === 'text' && <Plain message={message} />}
      {view === 'source' && (
        <pre tabIndex={0} role="region" aria-label="Source">
          {message.html ?? JSON.stringify(message, null, 2)}
        </pre>
      )}
    </>
  )
}

/**
 * An email in a frame, as a document of its own. The frame and the headers with which it is served forbid scripts, forms
 * and requests.
 */
function Framed({ messageId }: { readonly messageId: string }) {
  const src = `${PATH}/html?id=${encodeURIComponent(messageId)}`
  return <iframe sandbox="" title="The email" src={src} />
}

function Plain({ message: { text, html } }: { readonly message: Message }) {
  return (
    <>
      {text === null && <p class="soft">It came without a text. This is what its HTML says.</p>}
      <pre dir="auto" tabIndex={0} role="region" aria-label="Text">
        {text ?? textOf(html ?? '')}
      </pre>
    </>
  )
}

function Attachments({ message: { messageId, attachments } }: { readonly message: Message }) {
  return (
    <ul class="plain-list">
      {attachments.map(({ filename, path, sizeBytes }, position) => {
        const href = `${PATH}/attachment?id=${encodeURIComponent(messageId)}&position=${position}`
        return (
          <li key={position}>
            {path === null ? (
              <>
                <a href={href} download>
                  <bdi>{filename}</bdi>
                </a>
                , {sizeText(sizeBytes ?? 0)}
              </>
            ) : (
              <>
                <bdi>{filename}</bdi>, from <bdi>{path}</bdi>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** The picture of an MMS. It is loaded from the sender's URL, as a provider would load it. */
function Picture({ url }: { readonly url: string }) {
  return (
    <figure>
      <img src={url} alt="Media of the message" loading="lazy" referrerPolicy="no-referrer" />
      <figcaption class="soft">
        <bdi>{url}</bdi>
      </figcaption>
    </figure>
  )
}

/** A message that a deployment would have sent, as the mailbox answers with it. */
interface Message {
  readonly messageId: string
  readonly channel: 'email' | 'sms' | 'mms'
  readonly from: string
  readonly to: string
  /** Null for a text message. */
  readonly subject: string | null
  /** Null for a text message, and in a list. */
  readonly html: string | null
  /** In a list only its beginning. */
  readonly text: string | null
  readonly replyTo: string | null
  readonly mediaUrls: readonly string[]
  readonly attachments: readonly {
    readonly filename: string
    /** Where a provider would fetch it; null: its content was given. */
    readonly path: string | null
    readonly sizeBytes: number | null
  }[]
  /** Headers besides the usual ones, by name. */
  readonly headers: Readonly<Record<string, string>>
  readonly at: string
}

interface Messages {
  readonly messages: readonly Message[]
  /** False: there are older ones. */
  readonly isWhole: boolean
}

const PATH = '/mailbox'

/** The address of a message, or with null of none, with what is searched. */
function addressOf(messageId: string | null, search: string): string {
  return PATH + searchText({ search, message: messageId })
}

/** What a message is called in a list. */
function titleOf({ subject, text, channel }: Message): string {
  const title = subject ?? text ?? ''
  return title.trim() === '' ? `An empty ${channel}` : title
}

/**
 * What an email says without its markup. It is parsed into a document that runs no scripts and loads nothing.
 */
function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const hidden of body.querySelectorAll('script, style, template')) hidden.remove()
  for (const block of body.querySelectorAll('br, p, div, tr, li, h1, h2, h3, h4')) block.append('\n')
  return body.textContent
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n\s*\n\s*/g, '\n\n')
    .trim()
}

followTheme()
const root = document.getElementById('console')
const client = createClient(null, () => undefined)
if (root !== null)
  render(
    <ClientContext.Provider value={client}>
      <MailboxPage />
    </ClientContext.Provider>,
    root,
  )
