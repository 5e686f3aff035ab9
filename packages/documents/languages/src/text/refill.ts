import { lastUpTo } from './located.ts'
import type { Placing, Written, WrittenScalar } from './written.ts'

/** Part of a text: offsets of its first character and of the first after it. */
export interface Slot {
  readonly start: number
  readonly end: number
}

/** A text, and the parts of it that were put in, in their order. */
export interface FilledText {
  readonly text: string
  readonly slots: readonly Slot[]
}

/** A text that was read. */
export interface ReadText extends FilledText {
  readonly root: Written
}

/** Characters that mean nothing between quotes, neither to YAML nor to JSON. */
const WORD = /^[\w ./:@-]*$/

/** Leaves only slots with words, whose content cannot matter between quotes. */
export function withWords({ text, slots }: FilledText): FilledText {
  return { text, slots: slots.filter(({ start, end }) => WORD.test(text.slice(start, end))) }
}

/**
 * Returns what reading a text gives, made from what was read of another one that differs only in its slots, as many words. Undefined if
 * not each of them is between the quotes of one value, or if the text has aliases.
 */
export function refill({ root, ...from }: ReadText, to: FilledText, source: Placing): Written | undefined {
  const filling: Filling = { from, to, source, starts: from.slots.map(({ start }) => start), filled: 0, isUnfit: false }
  const refilled = refilledOf(root, filling)
  return filling.isUnfit || filling.filled !== from.slots.length ? undefined : refilled
}

interface Filling {
  readonly from: FilledText
  readonly to: FilledText
  readonly source: Placing
  /** Where the slots of the text that was read begin. */
  readonly starts: readonly number[]
  filled: number
  isUnfit: boolean
}

function refilledOf(written: Written, filling: Filling): Written {
  const { offset, keyOffset } = written
  // What comes from an alias has the place of that alias.
  filling.isUnfit ||= filling.from.text[offset] === '*'
  const part = {
    source: filling.source,
    offset: moved(offset, filling),
    keyOffset: keyOffset === undefined ? undefined : moved(keyOffset, filling),
  }
  switch (written.kind) {
    case 'scalar':
      return { ...written, ...wordsOf(written, filling), ...part }
    case 'list':
      return { ...written, items: written.items.map((item) => refilledOf(item, filling)), ...part }
    case 'table': {
      const members = new Map<string, Written>()
      for (const [key, member] of written.members) members.set(key, refilledOf(member, filling))
      return { ...written, members, ...part }
    }
  }
}

/** Returns the text of a value with slots. */
function wordsOf(
  { value, offset }: WrittenScalar,
  filling: Filling,
): Pick<WrittenScalar, 'value' | 'text'> | undefined {
  if (typeof value !== 'string') return undefined
  const { from, to, starts } = filling
  const [start, end] = [offset + 1, offset + 1 + value.length]
  const count = lastUpTo(starts, end - 1) - lastUpTo(starts, offset)
  if (count === 0) return undefined
  // Only quotes stand on both sides of what they enclose.
  filling.isUnfit ||= !from.text.startsWith(`${value}${from.text[offset]}`, start)
  filling.filled += count
  const text = to.text.slice(moved(start, filling), moved(end, filling))
  return { value: text, text }
}

/** Returns where an offset outside of slots is in the other text. */
function moved(offset: number, { from, to, starts }: Filling): number {
  const index = lastUpTo(starts, offset - 1)
  return offset + (to.slots[index]?.end ?? 0) - (from.slots[index]?.end ?? 0)
}
