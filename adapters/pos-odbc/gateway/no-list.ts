import * as v from 'valibot'
import { isJsonObject } from '../../../domain/text/json.ts'

/** An object and no list, which the library's own schemas of objects accept too. */
export const NoList = v.custom<object>(isJsonObject, 'must be an object')
