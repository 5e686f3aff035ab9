const STATES = {
  activating: 'is to be activated, and is not known to be active yet',
  active: 'was activated, and has not been deactivated since',
  deactivating: 'is to be deactivated, and is not known to be stopped yet',
} as const

/** State of a record. */
export type RecordState = keyof typeof STATES

/** What an activity does that changes the state of a record. */
export interface VerbTraits<State extends string = string> {
  /** State of the record from the intention until the activity has succeeded. No two activities have the same. */
  readonly during: State
  /** State of the record once the activity has succeeded; undefined if that removes the record. */
  readonly after: State | undefined
  readonly effect: 'starts' | 'stops' | 'changes'
  /** Whether the record is written, with what the activity is given; otherwise the activity is called with what the record has. */
  readonly writesRecord: boolean
  /** What was cut off or has failed, in the reasons of plans. */
  readonly noun: string
  /** What plans begin its lines with. */
  readonly sign: '+' | '-' | '~'
  /** How the summary of a plan counts it: `2 to activate`. */
  readonly counted: string
}

/** The scripts of targets, the planner, the runner, and what shows plans ask these rows, never for names of activities or states. */
const VERBS = {
  activate: {
    during: 'activating',
    after: 'active',
    effect: 'starts',
    writesRecord: true,
    noun: 'activation',
    sign: '+',
    counted: 'to activate',
  },
  deactivate: {
    during: 'deactivating',
    after: undefined,
    effect: 'stops',
    writesRecord: false,
    noun: 'deactivation',
    sign: '-',
    counted: 'to deactivate',
  },
} as const satisfies Readonly<Record<string, VerbTraits<RecordState>>>

/** An activity that changes the state of a record. */
export type Verb = keyof typeof VERBS

/** A state with an intended activity. */
export type UnsettledState = (typeof VERBS)[Verb]['during']

/** The same objects, to which tests add rows. */
export const STATE_ROWS: Record<string, string> = STATES
export const VERB_ROWS: Record<string, VerbTraits> = VERBS

export function recordStates(): readonly RecordState[] {
  return Object.keys(STATES) as RecordState[]
}

/** One sentence without a subject, for `docs/operations.md`. */
export function meaningOf(state: RecordState): string {
  return STATES[state]
}

export function verbs(): readonly Verb[] {
  return Object.keys(VERBS) as Verb[]
}

export function isVerb(kind: string): kind is Verb {
  return Object.hasOwn(VERBS, kind)
}

export function verbTraits(verb: Verb): VerbTraits {
  return VERBS[verb]
}

export function startsService(kind: string): boolean {
  return isVerb(kind) && verbTraits(kind).effect === 'starts'
}

export function stopsService(kind: string): boolean {
  return isVerb(kind) && verbTraits(kind).effect === 'stops'
}

export function writesRecord(kind: string): boolean {
  return isVerb(kind) && verbTraits(kind).writesRecord
}

export function removesRecord(kind: string): boolean {
  return isVerb(kind) && verbTraits(kind).after === undefined
}

/** The activity that is intended in a state, which has not succeeded so far. */
export function intendedIn(state: string): Verb | undefined {
  return verbs().find((verb) => verbTraits(verb).during === state)
}

/** Whether no activity is intended. */
export function isSettled<State extends string>(state: State): state is Exclude<State, UnsettledState> {
  return intendedIn(state) === undefined
}

/** Whether the service should be up: the last activity succeeded, and did not stop it. */
export function isUp(state: string): boolean {
  return verbs().some((verb) => verbTraits(verb).after === state && !stopsService(verb))
}

/** Whether the service has been up with this record, or may have been. */
export function hasBeenUp(state: string): boolean {
  const intended = intendedIn(state)
  return intended === undefined || !startsService(intended) || !writesRecord(intended)
}

/** The rows as functions of scripts, which `runtime/state.sh` describes. */
export function verbCases(): string {
  const traits = verbs().map((verb) => {
    const { during, after = '-', effect, writesRecord: isWritten } = verbTraits(verb)
    return `${verb}) during=${during} after=${after} effect=${effect}${isWritten ? ' writes=yes' : ''} ;;\n`
  })
  const states = recordStates().map((state) => {
    const intended = intendedIn(state)
    return `${state})${intended === undefined ? '' : ` intended=${intended}`} ;;\n`
  })
  return `verb_traits() {
during= after= effect= writes=
case $1 in
${traits.join('')}esac
}
is_state() {
intended=
case $1 in
${states.join('')}*) return 1 ;;
esac
}
`
}
