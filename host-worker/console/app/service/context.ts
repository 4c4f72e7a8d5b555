import { createContext } from 'preact'
import type { Client } from './client.ts'
import { createClient } from './client.ts'

/** The client of the session. Outside of a session nobody calls. */
export const ClientContext = createContext<Client>(createClient('', () => undefined))
