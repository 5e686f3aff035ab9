export interface ActivityListener {
  /** Until it is called, nothing has happened. */
  readonly sent?: () => void
  /** Called for each answer to the questions of an activity, which are numbered from 1; returns whether it was due. */
  readonly told?: (number: number, status: string) => boolean
  /** Time after which an activity that ends by itself counts as lost together with its helper. */
  readonly withinSeconds?: number | undefined
}
