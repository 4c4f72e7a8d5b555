/** The folders and files under `root` that are the input of a build, and the folder in which results are kept. */
export interface BuildPlace {
  readonly root: string
  readonly sources: readonly string[]
  readonly folder: string
}

export function builtOfSameSources<Result>(place: BuildPlace, build: () => Promise<Result>): Promise<Result>
