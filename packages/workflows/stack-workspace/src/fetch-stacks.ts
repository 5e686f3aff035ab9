import { DavitError } from '@davit/diagnostics'
import { baseAndName, canonical, type CompileOutcome, type FullReference } from '@davit/stack'
import { type FetchOptions, type Fetching, fetchStack, keepStack, openFetching } from './fetch-stack.ts'

/** A stack that could not be fetched, and why. */
export interface FetchFailure {
  readonly reference: FullReference
  readonly error: DavitError
}

export interface FetchOutcome {
  /** What compiling gives with all that could be fetched. */
  readonly outcome: CompileOutcome
  readonly failures: readonly FetchFailure[]
}

/** References to one stack; it has to be what all of them ask for. */
interface Group {
  readonly reference: FullReference
  readonly specs: Set<string>
}

/**
 * Fetches the stacks that references lead to and that no place has, and what these refer to, until none is missing. What cannot be
 * fetched is passed over, and what was fetched stays.
 */
export async function fetchStacks(options: FetchOptions): Promise<FetchOutcome> {
  const fetching = openFetching(options)
  const failures: FetchFailure[] = []
  const groups = new Map<string, Group>()
  const tried = new Set<string>()
  for (;;) {
    const outcome = options.compile(fetching.overlay.files)
    const missing = outcome.kind === 'refused' ? outcome.missing : []
    const fresh = missing.filter((reference) => !tried.has(canonical(reference)))
    if (fresh.length === 0) return { outcome, failures }
    for (const reference of fresh) tried.add(canonical(reference))
    for (const group of groupsOf(fresh, groups)) {
      const failure = await fetchGroup(fetching, group)
      if (failure !== undefined) failures.push(failure)
    }
  }
}

/** Adds references to the groups that they belong to, and returns these groups. */
function groupsOf(references: readonly FullReference[], groups: Map<string, Group>): ReadonlySet<Group> {
  return new Set(
    references.map((reference) => {
      const key = baseAndName(reference)
      const group = groups.get(key) ?? { reference, specs: new Set<string>() }
      group.specs.add(reference.spec)
      groups.set(key, group)
      return group
    }),
  )
}

async function fetchGroup(fetching: Fetching, { reference, specs }: Group): Promise<FetchFailure | undefined> {
  try {
    await fetchStack(fetching, reference, [...specs])
    return undefined
  } catch (error) {
    if (!(error instanceof DavitError) || CONCERNS_ALL.has(error.code)) throw error
    keepStack(fetching, reference)
    return { reference, error }
  }
}

/** Failures of this machine, which the next stack would meet as well. */
const CONCERNS_ALL: ReadonlySet<string> = new Set(['program-not-found', 'cannot-create', 'cannot-write', 'interrupted'])
