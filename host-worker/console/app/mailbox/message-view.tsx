import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Facts } from '../kit/facts.tsx'
import { Empty, FailureNote, Shown } from '../kit/states.tsx'
import { momentText, sizeText } from '../kit/text.ts'
import { toast } from '../kit/toasts/toasts.ts'
import { useAction } from '../service/use-action.ts'
import { useRead } from '../service/use-query.ts'
import type { Message, Messages } from './messages.ts'
import { addressOf, PATH, textOf, titleOf } from './messages.ts'

interface MessageViewProps {
  readonly messageId: string
  readonly search: string
  readonly onDeleted: () => void
}

/** One message, with what one can do to it. */
export function MessageView({ messageId, search, onDeleted }: MessageViewProps) {
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
                <Button
                  kind="danger"
                  isRunning={deletion.isRunning}
                  onClick={() => {
                    deletion.run(undefined)
                  }}
                >
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
          <Button
            key={one}
            aria-pressed={one === view}
            onClick={() => {
              setView(one)
            }}
          >
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
