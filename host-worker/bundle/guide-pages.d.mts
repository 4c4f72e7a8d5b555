import type { Plugin } from 'esbuild'

/** A page of `/guides`. */
export interface GuidePage {
  /** The name in its address. */
  readonly name: string
  readonly title: string
  /** What it is about, in a sentence. */
  readonly about: string
  /** Whether it is a guide; otherwise it is the manual of a part. */
  readonly isGuide: boolean
  readonly markdown: string
  readonly html: string
}

export function renderGuides(): readonly GuidePage[]
export const guidePages: Plugin
