import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { FailureNote, Loading } from '../kit/states.tsx'
import type { Part, PartProps } from '../part.ts'
import { Failure } from '../service/failure.ts'

const loaded = new Map<Part, ComponentType<PartProps>>()

interface PartPageProps {
  readonly part: Part
  readonly organizationId: string
}

/** Loads a part's code, and shows its page. */
export function PartPage({ part, organizationId }: PartPageProps) {
  const [Page, setPage] = useState(() => loaded.get(part))
  const [failure, setFailure] = useState<Failure | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (Page !== undefined) return
    part.load().then(
      (module) => {
        loaded.set(part, module.Page)
        setPage(() => module.Page)
        setFailure(null)
      },
      () => {
        setFailure(
          new Failure('offline', 'This page could not be loaded. After a new version, reload the console.'),
        )
      },
    )
  }, [part, tries])
  if (Page !== undefined) return <Page organizationId={organizationId} />
  if (failure === null) return <Loading lines={6} />
  const retry = (): void => {
    setTries((count) => count + 1)
  }
  return <FailureNote failure={failure} onRetry={retry} />
}
