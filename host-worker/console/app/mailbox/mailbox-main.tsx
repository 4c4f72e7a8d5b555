import { render } from 'preact'
import { ClientContext, createClient } from '../service/client.ts'
import { followTheme } from '../shell/theme-button.tsx'
import '../style/style.css'
import { MailboxPage } from './mailbox-page.tsx'
import './mailbox.css'

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
