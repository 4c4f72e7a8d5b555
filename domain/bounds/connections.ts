/**
 * How many databases, or receivers of work, are asked at once by what works through a list of them. A Worker has six
 * connections, and a task may need one more than the one that it holds.
 */
export const CONNECTIONS_WIDTH = 4
