/** One promise of a port, with the check that an adapter keeps it. Rejects when it does not. */
export interface Case<Make> {
  readonly name: string
  run(make: Make): Promise<void>
}

/** Cases by their names. Each gets what `begin` makes for it alone. */
export function casesFrom<Make, Begun>(
  begin: (make: Make) => Promise<Begun>,
  checks: Readonly<Record<string, (begun: Begun) => Promise<void>>>,
): readonly Case<Make>[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async (make) => check(await begin(make)),
  }))
}
