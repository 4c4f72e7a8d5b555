import { StrictMode, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { ServiceForm } from './service-form.tsx'

/** A page with two forms of the service, each of which can be closed. */
function App({ service }: { readonly service: string }): ReactNode {
  const [open, setOpen] = useState({ claim: true, members: true })
  const [savedIds, setSavedIds] = useState<readonly string[]>([])
  const toggle = (name: keyof typeof open) => () => setOpen({ ...open, [name]: !open[name] })
  const saved = ({ submissionId = '' }: { readonly submissionId?: string }) =>
    setSavedIds((ids) => [...ids, submissionId])
  return (
    <>
      <section id="claim">
        <h1>Damage claim</h1>
        <button onClick={toggle('claim')}>{open.claim ? 'Close' : 'Open'}</button>
        {open.claim && <ServiceForm service={service} formId="demo-damage-claim" redirect="/thanks" />}
      </section>
      <section id="members">
        <h1>Members</h1>
        <button onClick={toggle('members')}>{open.members ? 'Close' : 'Open'}</button>
        {open.members && <ServiceForm service={service} formId="demo-members" onSaved={saved} />}
        <output>{savedIds.join(' ')}</output>
      </section>
    </>
  )
}

const root = document.querySelector('main')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App service={root.dataset.service ?? ''} />
    </StrictMode>,
  )
