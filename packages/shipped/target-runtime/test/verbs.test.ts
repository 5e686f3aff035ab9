import { expect, test } from 'vitest'

import {
  hasBeenUp,
  intendedIn,
  isSettled,
  isUp,
  isVerb,
  recordStates,
  removesRecord,
  startsService,
  stopsService,
  verbs,
  verbTraits,
  verbCases,
  writesRecord,
} from '../src/verbs.ts'
import { addRows, MORE_STATES, MORE_VERBS } from './testing.ts'

test('each verb has a state of its own while it is done, and each state is one of a verb', () => {
  const during = verbs().map((verb) => verbTraits(verb).during)
  expect(new Set(during).size).toBe(during.length)
  const after = verbs().flatMap((verb) => verbTraits(verb).after ?? [])
  expect([...new Set([...during, ...after])].toSorted()).toEqual(recordStates().toSorted())
})

test('no state is during one verb and after another', () => {
  expect(verbs().filter((verb) => !isSettled(verbTraits(verb).after ?? ''))).toEqual([])
})

test('scripts can take the words of the table apart, and fit a state in its file', () => {
  for (const word of [...verbs(), ...recordStates()]) expect(word).toMatch(/^[a-z]{1,14}$/)
})

test('verbs have the traits of their rows, and what is no verb has none', () => {
  const traits = [startsService, stopsService, writesRecord, removesRecord]
  const traitsOf = (kind: string) => traits.flatMap((has) => (has(kind) ? [has.name] : []))
  expect([isVerb('activate'), traitsOf('activate')]).toEqual([true, ['startsService', 'writesRecord']])
  expect([isVerb('deactivate'), traitsOf('deactivate')]).toEqual([true, ['stopsService', 'removesRecord']])
  for (const kind of ['transfer', 'lock', 'toString', '']) expect([isVerb(kind), traitsOf(kind)]).toEqual([false, []])
})

test('states have the traits of the verbs that lead to them', () => {
  const facts = (state: string) => [intendedIn(state), isSettled(state), isUp(state), hasBeenUp(state)]
  expect(facts('activating')).toEqual(['activate', false, false, false])
  expect(facts('active')).toEqual([undefined, true, true, true])
  expect(facts('deactivating')).toEqual(['deactivate', false, false, true])
})

test('rows give verbs and states their traits, and scripts their words', () => {
  const removeRows = addRows(MORE_VERBS, MORE_STATES)
  try {
    const facts = (state: string) => [intendedIn(state), isSettled(state), isUp(state), hasBeenUp(state)]
    expect(facts('holding')).toEqual(['hold', false, false, true])
    expect(facts('held')).toEqual([undefined, true, false, true])
    expect(facts('releasing')).toEqual(['release', false, false, true])
    expect(facts('retouching')).toEqual(['retouch', false, false, true])
    expect([stopsService('hold'), removesRecord('hold'), startsService('release')]).toEqual([true, false, true])
    expect([startsService('retouch'), stopsService('retouch'), writesRecord('retouch')]).toEqual([false, false, true])
    expect(verbCases()).toContain(`${CASES.split('esac')[0]}hold) during=holding after=held effect=stops ;;\n`)
    expect(verbCases()).toContain('holding) intended=hold ;;\nheld) ;;\n')
  } finally {
    removeRows()
  }
  expect([verbCases(), recordStates(), isVerb('hold')]).toEqual([
    CASES,
    ['activating', 'active', 'deactivating'],
    false,
  ])
})

const CASES = `verb_traits() {
during= after= effect= writes=
case $1 in
activate) during=activating after=active effect=starts writes=yes ;;
deactivate) during=deactivating after=- effect=stops ;;
esac
}
is_state() {
intended=
case $1 in
activating) intended=activate ;;
active) ;;
deactivating) intended=deactivate ;;
*) return 1 ;;
esac
}
`
