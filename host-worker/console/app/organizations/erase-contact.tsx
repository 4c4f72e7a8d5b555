import { useState } from 'preact/hooks'
import { Button, calls, toast } from '../kit/controls.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import type { Client } from '../service/client.ts'
import { useAction } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'
import { may, useIdentity } from '../session.tsx'
import type { OrganizationProps } from './organization.ts'

interface EraseContactProps extends OrganizationProps {
  readonly contactId: string
  /** Who it is; null: nobody knows. */
  readonly name: string | null
  readonly onErased: () => void
}

/** The button that erases a person, for whoever may, with its question. */
export function EraseContact({ organizationId, contactId, name, onErased }: EraseContactProps) {
  const [isAsking, setAsking] = useState(false)
  const erase = useAction(
    (client) => eraseContact(client, organizationId, contactId),
    () => {
      setAsking(false)
      toast('The person was erased.')
      onErased()
    },
  )
  // Within the pages that an organization reads itself, the address does not name it.
  if (!may(useIdentity(), 'contacts.erase', organizationId)) return null
  return (
    <>
      <Button kind="danger" onClick={calls(setAsking, true)}>
        Erase this person
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Erase ${name ?? contactId}?`}
          verb="Erase"
          typed={contactId}
          action={erase}
          onClose={calls(setAsking, false)}
        >
          What is stored of this person is removed from every submission, message and contact of the
          organization. It cannot be undone.
        </ConfirmDialog>
      )}
    </>
  )
}

/** Erases a person. Each call works for a bounded time, and says where the next one goes on. */
async function eraseContact(client: Client, organizationId: string, contactId: string): Promise<void> {
  let next: string | null = null
  do {
    const body = { contactIds: [contactId], ...(next === null ? {} : { next }) }
    const answer: BodyOf<'contacts.erase'> = await client.call('contacts.erase', {
      params: { organizationId },
      body,
    })
    next = 'next' in answer ? answer.next : null
  } while (next !== null)
}
