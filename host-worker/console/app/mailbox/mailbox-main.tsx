import { render } from 'preact'
import { ClientContext } from '../service/context.ts'
import { createClient } from '../service/client.ts'
import { followTheme } from '../shell/theme-button.tsx'
import '../style/style.css'
import './mailbox.css'
import { MailboxPage } from './mailbox-page.tsx'

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
