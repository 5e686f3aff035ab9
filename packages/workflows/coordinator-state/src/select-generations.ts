import { DavitError, ExitStatus } from '@davit/diagnostics'

import { presentNumbers } from './generations.ts'

/** A generation that may be selected. */
export interface Candidate {
  readonly number: number
  readonly time: Date
}

export interface SelectionPlace {
  /** Generations in the order of their numbers. */
  readonly generations: readonly Candidate[]
  readonly current: number | undefined
  readonly now: Date
}

/**
 * Selects generations by `N[,N]…`, `Nd` or `old`. `Nd` means those that were replaced more than N days ago, as in Nix: the last
 * one that is older was still in use then, and stays.
 */
export function selectGenerations(text: string, place: SelectionPlace): readonly number[] {
  const others = place.generations.filter(({ number }) => number !== place.current)
  if (text === 'old') return others.map(({ number }) => number)
  const days = /^(\d{1,6})d$/.exec(text)?.[1]
  if (days !== undefined) return olderThan(Number(days), place)
  if (!/^[1-9]\d{0,14}([\s,]+[1-9]\d{0,14})*$/.test(text)) throw badSelection(text)
  const numbers = [...new Set(text.split(/[\s,]+/).map(Number))]
  checkNumbers(numbers, place)
  return numbers
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000

function olderThan(days: number, { generations, current, now }: SelectionPlace): readonly number[] {
  const limit = now.getTime() - days * DAY_MILLISECONDS
  const inUseThen = generations.findLast(({ time }) => time.getTime() < limit)?.number ?? 0
  return generations.map(({ number }) => number).filter((number) => number < inUseThen && number !== current)
}

function checkNumbers(numbers: readonly number[], { generations, current }: SelectionPlace): void {
  const present = generations.map(({ number }) => number)
  const absent = numbers.filter((number) => !present.includes(number))
  if (absent.length > 0) {
    throw new DavitError('no-generation', `there is no generation ${absent.join(', ')}`, {
      hint: presentNumbers(present),
    })
  }
  if (current === undefined || !numbers.includes(current)) return
  throw new DavitError('current-generation', `cannot delete generation ${current}: it is the current one`, {
    hint: 'deploy or switch to another one first, or forget the whole deployment with davit-generations --delete-all',
  })
}

function badSelection(text: string): DavitError {
  return new DavitError('usage', `'${text}' does not select generations`, {
    exitStatus: ExitStatus.usage,
    hint: "use numbers such as '1,2', '30d' for those replaced more than 30 days ago, or 'old' for all but the current one",
  })
}
