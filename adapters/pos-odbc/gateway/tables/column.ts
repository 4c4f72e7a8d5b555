/** What a column holds, which decides how it is read as text and compared. */
export type ColumnType = 'text' | 'instant' | 'decimal' | 'integer'

/** A column's value as a driver returns it. */
export type RecordedValue = string | number | null

/** Tables by their names, with the names of their columns by what these hold, separated by spaces. */
export type Tables = Readonly<Record<string, Readonly<Partial<Record<ColumnType, string>>>>>

/** A row as a driver returns it: values by the column names that the statement chose. */
export type RecordedRow = Readonly<Record<string, RecordedValue>>
