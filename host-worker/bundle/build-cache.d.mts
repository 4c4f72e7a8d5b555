/** The folders and files under `root` from which all is made, and the folder of the results. */
export interface BuildPlace {
  readonly root: string
  readonly sources: readonly string[]
  readonly folder: string
}

export function builtOfSameSources<Result>(place: BuildPlace, build: () => Promise<Result>): Promise<Result>
