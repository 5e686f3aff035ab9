import { STATE_ROWS, VERB_ROWS, type VerbTraits } from '../src/verbs.ts'

/** Adds verbs and states to the tables until the returned function is called. */
export function addRows(
  verbs: Readonly<Record<string, VerbTraits>>,
  states: Readonly<Record<string, string>>,
): () => void {
  Object.assign(VERB_ROWS, verbs)
  Object.assign(STATE_ROWS, states)
  return () => {
    for (const verb of Object.keys(verbs)) delete VERB_ROWS[verb]
    for (const state of Object.keys(states)) delete STATE_ROWS[state]
  }
}

const HOLD = { noun: 'hold', sign: '-', counted: 'to hold', writesRecord: false } as const

/** Verbs with a state that no shipped verb has. */
export const MORE_VERBS = {
  hold: { ...HOLD, during: 'holding', after: 'held', effect: 'stops' },
  release: {
    ...HOLD,
    during: 'releasing',
    after: 'active',
    effect: 'starts',
    noun: 'release',
    sign: '+',
    counted: 'to release',
  },
  retouch: {
    during: 'retouching',
    after: 'active',
    effect: 'changes',
    writesRecord: true,
    noun: 'retouch',
    sign: '~',
    counted: 'to retouch',
  },
} as const satisfies Readonly<Record<string, VerbTraits>>

export const MORE_STATES = {
  holding: 'is to be held',
  held: 'was held, and has not been released since',
  releasing: 'is to be released',
  retouching: 'is to be retouched',
} as const
