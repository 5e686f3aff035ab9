import type { StorePath } from '@davit/documents'
import { type LogEntry, parseLogEntry } from './log-entry.ts'
import { plainText, withoutEscapes } from './plain-text.ts'

export interface BuildFailure {
  readonly derivation: StorePath
  readonly reason: string
  readonly logEnd: string
}

export type BuildEvent =
  | { readonly kind: 'started'; readonly derivation: StorePath }
  | { readonly kind: 'finished'; readonly derivation: StorePath }
  | ({ readonly kind: 'failed' } & BuildFailure)
  | { readonly kind: 'fetching'; readonly path: StorePath }
  | { readonly kind: 'fetched'; readonly path: StorePath }
  | { readonly kind: 'said'; readonly code: 'nix-waiting' | 'nix-warning'; readonly text: string }

export interface BuildEvents {
  /** A line of standard error. */
  take(line: string): void
  /** Finds out which builds have ended: Nix reports each start immediately, but the ends only after the last of them. */
  settle(isBuilt: (derivations: readonly StorePath[]) => Promise<ReadonlySet<StorePath>>): Promise<void>
  end(): EventSummary
}

export interface EventSummary {
  readonly failures: readonly BuildFailure[]
  readonly problems: readonly string[]
  /** Lines that are not log entries. */
  readonly others: readonly string[]
}

const MAX_LOG_LINES = 25
const MAX_OTHERS = 50

/** Follows the log of `--log-format internal-json`. */
export function openBuildEvents(onEvent: (event: BuildEvent) => void): BuildEvents {
  const state: LogState = { onEvent, activities: new Map(), builds: new Map(), failures: new Map(), problems: [] }
  const others: string[] = []
  return {
    take(line) {
      const entry = parseLogEntry(line)
      if (entry !== undefined) takeEntry(state, entry)
      else if (line !== '' && others.length < MAX_OTHERS) others.push(plainText(line))
    },
    async settle(isBuilt) {
      const running = runningIn(state)
      if (running.length === 0) return
      const built = await isBuilt(running)
      for (const derivation of runningIn(state)) if (built.has(derivation)) finish(state, derivation)
    },
    end() {
      const { failures, problems } = state
      for (const derivation of runningIn(state)) {
        if (problems.length === 0) finish(state, derivation)
        else onEvent({ kind: 'failed', derivation, reason: 'was stopped', logEnd: '' })
      }
      return { failures: [...failures.values()], problems, others }
    },
  }
}

interface LogState {
  onEvent(event: BuildEvent): void
  readonly activities: Map<number, Activity>
  readonly builds: Map<StorePath, Activity>
  readonly failures: Map<StorePath, BuildFailure>
  readonly problems: string[]
}

interface Activity {
  readonly kind: 'build' | 'fetch'
  /** A derivation, or the path that is fetched. */
  readonly path: StorePath
  readonly log: string[]
  isOver: boolean
}

/** Numbered as in `logging.hh` of Nix. */
const Type = { logLine: 101, build: 105, substitute: 108, buildWaiting: 111 } as const
const Level = { error: 0, warning: 1 } as const

function takeEntry(state: LogState, entry: LogEntry): void {
  if (entry.action === 'start') start(state, entry)
  else if (entry.action === 'stop') stop(state, entry)
  else if (entry.action === 'result' && entry.type === Type.logLine) addLogLine(state, entry)
  else if (entry.action === 'msg') takeMessage(state, entry)
}

function start({ activities, builds, onEvent }: LogState, { id, type, fields = [], text = '' }: LogEntry): void {
  const path = textOf(fields[0]) as StorePath
  if (type === Type.build) {
    const build: Activity = { kind: 'build', path, log: [], isOver: false }
    activities.set(id, build)
    builds.set(path, build)
    onEvent({ kind: 'started', derivation: path })
  } else if (type === Type.substitute) {
    activities.set(id, { kind: 'fetch', path, log: [], isOver: false })
    onEvent({ kind: 'fetching', path })
  } else if (type === Type.buildWaiting && text !== '')
    onEvent({ kind: 'said', code: 'nix-waiting', text: withoutEscapes(text) })
}

/** Ends an activity. Whether a build has failed is still open, since the message about that may come later. */
function stop({ activities, onEvent }: LogState, { id }: LogEntry): void {
  const activity = activities.get(id)
  activities.delete(id)
  if (activity?.kind === 'fetch') onEvent({ kind: 'fetched', path: activity.path })
}

function addLogLine({ activities }: LogState, { id, fields = [] }: LogEntry): void {
  const log = activities.get(id)?.log ?? []
  log.push(withoutEscapes(textOf(fields[0])))
  if (log.length > MAX_LOG_LINES) log.shift()
}

function textOf(field: unknown): string {
  return typeof field === 'string' ? field : ''
}

function takeMessage(state: LogState, { level, msg = '', raw_msg }: LogEntry): void {
  const text = plainText(raw_msg ?? msg)
  if (level === Level.error && !onlyFollows(text)) takeError(state, text)
  if (level === Level.warning && !HARMLESS.test(text)) {
    state.onEvent({ kind: 'said', code: 'nix-warning', text: text.replace(/^warning: */, '') })
  }
}

function takeError({ builds, failures, problems, onEvent }: LogState, text: string): void {
  const derivation = QUOTED_DERIVATION.exec(text)?.[1] as StorePath
  const build = builds.get(derivation)
  if (build === undefined) return void problems.push(text)
  const failure = { derivation, reason: reasonIn(text), logEnd: build.log.join('\n') }
  failures.set(derivation, failure)
  if (!build.isOver) onEvent({ kind: 'failed', ...failure })
  build.isOver = true
}

function runningIn({ builds }: LogState): readonly StorePath[] {
  return [...builds.values()].filter(({ isOver }) => !isOver).map(({ path }) => path)
}

function finish({ builds, onEvent }: LogState, derivation: StorePath): void {
  const build = builds.get(derivation)
  if (build !== undefined) build.isOver = true
  onEvent({ kind: 'finished', derivation })
}

/** A warning that does not concern davit, which adds roots itself. */
const HARMLESS = /you did not specify '--add-root'/
const FAILED_BUILDS = /^build of ('[^']*', )*'[^']*' failed$/
const DEPENDENCY = /dependenc(?:y|ies) of derivation /
const QUOTED_DERIVATION = /'(\/[^']*\.drv)'/

/** Whether an error only follows from other failures. */
function onlyFollows(text: string): boolean {
  const isOfDependency = (line: string) => {
    const begin = line.search(DEPENDENCY)
    return begin >= 0 && line.includes(' failed to build', begin)
  }
  return FAILED_BUILDS.test(text) || text.split('\n').some(isOfDependency)
}

/** Reason of a failure, as the predicate of a sentence whose subject is the package. */
function reasonIn(text: string): string {
  const given = /^[ \t]*Reason: (.*?)\.?$/m.exec(text)?.[1]
  if (given !== undefined) return `failed: ${given}`
  const [, predicate] = /^(?:builder for|building of|build of) '[^']*' (.*?);?$/m.exec(text) ?? []
  return predicate ?? `failed: ${text}`
}
