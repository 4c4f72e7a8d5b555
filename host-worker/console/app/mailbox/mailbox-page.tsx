import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/input/dialog.tsx'
import { TextField } from '../kit/input/field.tsx'
import { PageHeader } from '../kit/page-header.tsx'
import { Empty, Shown } from '../kit/states.tsx'
import { countText, momentText } from '../kit/text.ts'
import { Toasts } from '../kit/toasts/toast.tsx'
import { toast } from '../kit/toasts/toasts.ts'
import { useSettled } from '../kit/use-settled.ts'
import { useAction } from '../service/use-action.ts'
import { useRead } from '../service/use-query.ts'
import { ThemeButton } from '../shell/theme-button.tsx'
import type { Messages } from './messages.ts'
import { addressOf, PATH, titleOf } from './messages.ts'
import { MessageView } from './message-view.tsx'

const EVERY_MS = 3_000

/** The local mailbox: the messages that a deployment would have sent, and the one that is in the address. */
export function MailboxPage() {
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
            <Button
              onClick={() => {
                setEmptying(true)
              }}
            >
              Delete all
            </Button>
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
          onClose={() => {
            setEmptying(false)
          }}
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
