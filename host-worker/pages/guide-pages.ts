import { renderGuides } from '../bundle/guide-pages.mjs'

/** The pages of `/guides`. The Worker's build replaces this module by one that contains them. */
export const guidePages = renderGuides()
