/** How the steps of a plan are shown. */
export interface Arrangement {
  /** By target, or in the order in which they are done. */
  readonly by: 'target' | 'order'
  /** Whether steps that belong together, and those that are alike, are shown as one. */
  readonly fold: boolean
}
