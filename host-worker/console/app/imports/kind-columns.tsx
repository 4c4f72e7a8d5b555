import { Button } from '../kit/button.tsx'
import { saveText } from '../kit/saving/save-text.ts'
import type { ImportKind } from './import-kind.ts'
import { typeTexts } from './import-kind.ts'

/** What the files of a kind hold, and one to begin with. */
export function KindColumns({ kind: { kind, columns, template } }: { readonly kind: ImportKind }) {
  return (
    <>
      <div class="buttons">
        <Button
          onClick={() => {
            saveText(`${kind}.csv`, 'text/csv', template)
          }}
        >
          Download a template
        </Button>
      </div>
      <details>
        <summary>What the columns of {kind} mean</summary>
        <dl class="facts">
          {columns.map(({ name, type, whenLeftOut, meaning }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {meaning} <span class="soft">{needText(typeTexts[type], whenLeftOut)}</span>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

function needText(type: string, whenLeftOut: string | null): string {
  return whenLeftOut === null ? `Required, ${type}.` : `May be left out: ${whenLeftOut}. ${type}.`
}
