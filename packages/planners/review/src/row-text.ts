import { isVerb, verbTraits, type VerbTraits } from '@davit/target-runtime'

import type { Row } from './rows.ts'

/** The sentence for a row, without its targets where they stand above. */
export function rowText(row: Row, placed: 'with-targets' | 'below-its-target'): string {
  const why = row.why.length === 0 ? '' : ` (${row.why.join('; ')})`
  return `${actionText(row, placed)}${why}`
}

function actionText(
  { verb, service, container, targets, to }: Row,
  placed: 'with-targets' | 'below-its-target',
): string {
  const at = placed === 'with-targets' ? namesText(targets) : ''
  if (verb === 'move') {
    const from = at === '' ? '' : ` from ${at}`
    return `move the state of ${service} in ${container}${from} to ${to || 'the coordinator'}`
  }
  return `${verb} ${service} in ${container}${at === '' ? '' : ` on ${at}`}`
}

const NAMED = 3

/** Names as in a sentence, or only how many there are. */
export function namesText(targets: readonly string[]): string {
  if (targets.length > NAMED) return `${targets.length} targets`
  return targets.length < 2 ? targets.join('') : `${targets.slice(0, -1).join(', ')} and ${targets.at(-1)}`
}

/** Sign of a row, which tells its kind without colours. */
export function signOf(verb: string): Sign {
  return isVerb(verb) ? verbTraits(verb).sign : (SIGNS.get(verb) ?? '>')
}

export type Sign = VerbTraits['sign'] | '>' | '='

const SIGNS: ReadonlyMap<string, Sign> = new Map([
  ['replace', '~'],
  ['restart', '~'],
])
