import {
  asDiagnostic,
  DavitError,
  type Diagnostic,
  ExitStatus,
  firstDiagnostics,
  MAX_DIAGNOSTICS,
  MAX_HINTS,
  type Message,
  type Path,
} from '@davit/diagnostics'
import type { ModelPlace } from './architecture-model.ts'

/** Collects all problems of a model, so that they are reported together. */
export interface Findings {
  error(path: Path, message: string, hint?: Hint): void
  /** Adds an error that the user's code threw. */
  thrown(path: Path, message: string, cause: unknown): void
  /** Adds errors with their places, and their cause. */
  located(diagnostics: readonly Diagnostic[], cause: unknown): void
  warning(path: Path, message: Message): void
  warnings(): readonly Diagnostic[]
  /** Throws all errors, if there are any. */
  throwIfAny(): void
}

/** A hint, or a function that makes it; called only if the hint is shown. */
export type Hint = string | (() => string | undefined)

export type PlaceOf = (path: Path) => ModelPlace | undefined

/** Starts with the findings of earlier steps, which may be the cause of later ones. */
export function collectFindings(placeOf: PlaceOf, before: readonly Diagnostic[] = []): Findings {
  const found = new Map<string, Diagnostic>()
  const counts = { error: 0, warning: 0 }
  const add = (diagnostic: Diagnostic, hint?: Hint) => {
    const { path = [], message, severity } = diagnostic
    // A package is evaluated for several systems: a problem of it is reported once.
    const identity = JSON.stringify([severity, path, message])
    if (found.has(identity)) return
    counts[severity] += 1
    const located = counts[severity] <= MAX_DIAGNOSTICS ? locatedBy(placeOf, diagnostic) : diagnostic
    found.set(identity, counts[severity] <= MAX_HINTS ? { ...located, ...hintOf(hint) } : located)
  }
  const causes: unknown[] = []
  const all = (severity: Diagnostic['severity']) => [...found.values()].filter((one) => one.severity === severity)
  return {
    error: (path, message, hint) => add({ severity: 'error', message, path }, hint),
    thrown: (path, message, cause) => {
      causes.push(cause)
      add({ severity: 'error', message, path })
    },
    located: (diagnostics, cause) => {
      causes.push(cause)
      for (const diagnostic of diagnostics) add(diagnostic)
    },
    warning: (path, message) => add(asDiagnostic(message, { path }), message.hint),
    warnings: () => all('warning'),
    throwIfAny: () => {
      const diagnostics = all('error')
      if (diagnostics.length === 0) return
      const count = diagnostics.length === 1 ? 'an error' : `${diagnostics.length} errors`
      throw new DavitError('invalid-model', `the models have ${count}`, {
        exitStatus: ExitStatus.badDocument,
        diagnostics: [...[...before, ...all('warning')].slice(0, MAX_DIAGNOSTICS), ...firstDiagnostics(diagnostics)],
        ...(causes.length === 0 ? {} : { cause: causes[0] }),
      })
    },
  }
}

function locatedBy(placeOf: PlaceOf, diagnostic: Diagnostic): Diagnostic {
  const place = diagnostic.place ?? nearestPlace(diagnostic.path ?? [], placeOf)
  return place === undefined ? diagnostic : locatedAt(place, diagnostic)
}

function locatedAt({ path, ...place }: ModelPlace, diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, place, ...(path === undefined ? {} : { path }) }
}

/** Returns the place of a value or, if the user did not write it, of the innermost value around it. */
export function nearestPlace(path: Path, placeOf: PlaceOf): ModelPlace | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const place = placeOf(path.slice(0, length))
    if (place !== undefined) return place
  }
  return undefined
}

export function hintText(hint: Hint | undefined): string | undefined {
  return typeof hint === 'function' ? hint() : hint
}

function hintOf(hint: Hint | undefined): { hint?: string } {
  const text = hintText(hint)
  return text === undefined ? {} : { hint: text }
}
