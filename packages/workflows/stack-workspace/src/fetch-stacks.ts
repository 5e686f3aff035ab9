import { DavitError, type Place } from '@davit/diagnostics'
import { baseAndName, canonical, type CompileOutcome, type FullReference, type MissingStack } from '@davit/stack'
import { type FetchOptions, type Fetching, fetchStack, keepStack, openFetching } from './fetch-stack.ts'
import { refusal } from './refusal.ts'

/** A stack that could not be fetched, and why. */
export interface FetchFailure {
  readonly reference: FullReference
  readonly error: DavitError
  /** Where the reference is written. */
  readonly place?: Place | undefined
}

export interface FetchOutcome {
  /** What compiling gives with all that could be fetched. */
  readonly outcome: CompileOutcome
  readonly failures: readonly FetchFailure[]
}

/** References to one stack; it has to be what all of them ask for. */
interface Group {
  readonly reference: FullReference
  /** The stack of which it may be a public schema instead. */
  readonly owner: FullReference | undefined
  readonly specs: Set<string>
  /** How many specs were asked for last, and what became of it. */
  asked: number
  failure: FetchFailure | undefined
}

/**
 * Fetches the stacks that references lead to and that no place has, and what these refer to, until none is missing. What cannot be
 * fetched is passed over, and what was fetched stays.
 */
export async function fetchStacks(options: FetchOptions): Promise<FetchOutcome> {
  const fetching = openFetching(options)
  const failures: FetchFailure[] = []
  const groups: Groups = new Map()
  const tried = new Set<string>()
  for (;;) {
    const outcome = options.compile(fetching.overlay.files)
    const missing = outcome.kind === 'refused' ? outcome.missing : []
    const fresh = missing.filter(({ reference }) => !tried.has(canonical(reference)))
    if (fresh.length === 0) return { outcome, failures }
    for (const { reference } of fresh) tried.add(canonical(reference))
    for (const group of new Set(fresh.map((one) => enterGroup(groups, one)))) {
      const failure = await fetchGroup(fetching, group, groups)
      if (failure !== undefined) failures.push({ ...failure, place: placeOf(failure.reference, outcome) })
    }
  }
}

function placeOf(reference: FullReference, { findings }: CompileOutcome): Place | undefined {
  const found = findings.find(
    ({ code, subjects: [subject] }) =>
      (code === 'MU503' && subject === canonical(reference)) || (code === 'MU605' && subject === reference.name),
  )
  return found?.place
}

type Groups = Map<string, Group>

/** Adds a reference to the group that it belongs to, and returns that. */
function enterGroup(groups: Groups, { reference, owner }: MissingStack): Group {
  const key = baseAndName(reference)
  const group: Group = groups.get(key) ?? { reference, owner, specs: new Set(), asked: 0, failure: undefined }
  group.specs.add(reference.spec)
  groups.set(key, group)
  return group
}

/** Fetches a stack; if there is none of that name, the stack whose schema it may be. */
async function fetchGroup(fetching: Fetching, group: Group, groups: Groups): Promise<FetchFailure | undefined> {
  const failure = await tryGroup(fetching, group)
  if (failure === undefined || group.owner === undefined) return failure
  const ownFailure = await tryGroup(fetching, enterGroup(groups, { reference: group.owner }))
  return ownFailure && failure
}

/** Fetches what all references to a stack ask for, unless that was tried before. */
async function tryGroup(fetching: Fetching, group: Group): Promise<FetchFailure | undefined> {
  if (group.asked !== group.specs.size) {
    group.asked = group.specs.size
    group.failure = await tryToFetch(fetching, group)
  }
  return group.failure
}

async function tryToFetch(fetching: Fetching, { reference, specs }: Group): Promise<FetchFailure | undefined> {
  try {
    countStack(fetching, reference)
    await fetchStack(fetching, reference, [...specs])
    return undefined
  } catch (error) {
    if (!(error instanceof DavitError) || !CONCERNS_ONE.has(error.code)) throw error
    keepStack(fetching, reference)
    return { reference, error }
  }
}

/** Refuses more stacks than a run may fetch: each may refer to another one, without end. */
function countStack(fetching: Fetching, reference: FullReference): void {
  const { stacks } = fetching.options.limits
  fetching.tried += 1
  if (fetching.tried > stacks)
    throw refusal(reference, `this run has looked for ${stacks} stacks already, and each may refer to others`)
}

/** Failures of a repository or stack; this machine or user has all others, which the next stack would meet as well. */
const CONCERNS_ONE: ReadonlySet<string> = new Set([
  'unreachable-repository',
  'bad-repository',
  'no-such-stack',
  'output-too-large',
])
