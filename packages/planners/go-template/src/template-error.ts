import type { Place } from './template-file.ts'

/** A template that cannot be parsed or expanded, and where. */
export class TemplateError extends Error {
  readonly place: Place
  readonly hint: string | undefined

  constructor(message: string, place: Place, hint?: string) {
    super(message)
    this.name = 'TemplateError'
    this.place = place
    this.hint = hint
  }
}

/**
 * Why an action fails, for those who do not know where it is written: functions, and the caller's `include`. It becomes a
 * `TemplateError` with the place of the action.
 */
export class ActionFailure extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'ActionFailure'
    this.hint = hint
  }
}
