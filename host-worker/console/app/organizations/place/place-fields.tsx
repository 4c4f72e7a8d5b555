import { SelectField } from '../../kit/input/field.tsx'
import { wheres } from './place.ts'

const places = [
  { value: 'shared', label: 'The database that organizations share' },
  { value: 'own', label: 'A database of its own' },
]

interface PlaceFieldsProps {
  readonly place: string
  readonly where: string
  readonly onPlace: (place: string) => void
  readonly onWhere: (where: string) => void
}

/** A choice of where a family lives. */
export function PlaceFields({ place, where, onPlace, onWhere }: PlaceFieldsProps) {
  return (
    <>
      <SelectField label="Database" value={place} onValue={onPlace} options={places} />
      {place === 'own' && <SelectField label="Where" value={where} onValue={onWhere} options={wheres} />}
    </>
  )
}
