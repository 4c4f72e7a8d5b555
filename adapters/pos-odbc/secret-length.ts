/**
 * Shortest secret that either side of the gateway accepts, in characters. In a file of its own, because the Worker
 * checks its configuration without loading the adapter.
 */
export const SECRET_LENGTH_MIN = 32
