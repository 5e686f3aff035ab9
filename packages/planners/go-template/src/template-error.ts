import { quoted, suggestionFor } from '@davit/diagnostics'
import type { Place, TemplateValue } from './template-file.ts'

/** A template that cannot be parsed or expanded, and where. If an action failed, that is the cause. */
export class TemplateError extends Error {
  readonly place: Place
  readonly hint: string | undefined

  constructor(
    message: string,
    place: Place,
    { hint, cause }: { hint?: string | undefined; cause?: ActionFailure } = {},
  ) {
    super(message, { cause })
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

/** A field is asked for that a map does not have. */
export class MissingField extends ActionFailure {
  readonly map: ReadonlyMap<string, TemplateValue>
  readonly field: string

  constructor(map: ReadonlyMap<string, TemplateValue>, field: string, hint?: string) {
    const other = suggestionFor(field, map.keys()) ?? "'has', 'orElse' and 'orEmpty' ask for keys that may be missing"
    super(`there is no field ${quoted(field)}`, hint ?? other)
    this.name = 'MissingField'
    this.map = map
    this.field = field
  }
}
