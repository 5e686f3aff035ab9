import { DavitError, ExitStatus, printableLine, quoted } from '@davit/diagnostics'

/** One of the things that `--on` names. */
export interface Term {
  /** As written, for messages. */
  readonly text: string
  readonly isExcluded: boolean
  readonly what:
    | { readonly kind: 'target' | 'tag'; readonly pattern: string }
    | {
        readonly kind: 'service'
        readonly pattern: string
        /** Pattern of its targets. */
        readonly on: string
        readonly withDependants: boolean
      }
}

/** Reads the values of `--on`, each with terms that are separated by commas. Throws a DavitError `invalid-selection`. */
export function parseTerms(values: readonly string[]): readonly Term[] {
  return values.flatMap((value) => value.split(',').map((text) => parseTerm(text.trim())))
}

function parseTerm(text: string): Term {
  const isExcluded = text.startsWith('!')
  const what = isExcluded ? text.slice(1) : text
  return { text, isExcluded, what: serviceIn(what) ?? tagIn(what) ?? targetIn(what) ?? refuse(text) }
}

/** Characters of names, and those of patterns. */
const NAMES = String.raw`[\w.+*?-]+`

function serviceIn(text: string): Term['what'] | undefined {
  const [, dots, pattern, on = '*'] =
    new RegExp(String.raw`^service:(\.\.\.)?([\w*?]${NAMES}|[\w*?])(?:@(${NAMES}))?$`).exec(text) ?? []
  return pattern === undefined ? undefined : { kind: 'service', pattern, on, withDependants: dots !== undefined }
}

function tagIn(text: string): Term['what'] | undefined {
  return /^@./s.test(text) && printableLine(text) === text ? { kind: 'tag', pattern: text.slice(1) } : undefined
}

function targetIn(text: string): Term['what'] | undefined {
  return new RegExp(`^${NAMES}$`).test(text) ? { kind: 'target', pattern: text } : undefined
}

function refuse(text: string): never {
  const what = text === '' ? 'contains an empty name' : `cannot contain ${quoted(text)}`
  throw new DavitError('invalid-selection', `a selection ${what}`, {
    exitStatus: ExitStatus.usage,
    hint: 'expected names of targets, @TAG, service:NAME or service:...NAME, separated by commas, with ! before what is left out',
  })
}
