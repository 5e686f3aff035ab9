import type { ProfileName, TargetName } from '@davit/documents'

import type { Disk, Space } from './condition.ts'
import { fromHexadecimal } from './helper/answer-lines.ts'
import { type LockHolder, type LockPlace, parseHolder } from './lock.ts'

/** What can start programs after a restart. */
export type Starter = (typeof STARTERS)[number]

const STARTERS = ['systemd', 'openrc', 'cron', 'crontab', 'none'] as const

/** A fact about a machine: a line of the answer. */
export type ConditionFact =
  | { readonly kind: 'clock'; readonly time: Date }
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'version'; readonly of: string; readonly text: string }
  | { readonly kind: 'starter'; readonly starter: Starter }
  | ({ readonly kind: 'disk' } & Disk)
  | { readonly kind: 'unwritable'; readonly path: string; readonly existing: string }
  | ({ readonly kind: 'lock'; readonly holder: LockHolder } & LockPlace)
  | ({ readonly kind: 'trial' } & LockPlace)
  | ({ readonly kind: 'unreached'; readonly token: string } & LockPlace)
  | ({ readonly kind: 'broken'; readonly path: string } & LockPlace)
  | { readonly kind: 'rubbish'; readonly store: string; readonly count: number }
  | { readonly kind: 'given-up'; readonly count: number }

type Words = readonly string[]

/** A target and a profile. */
const PLACE = '([A-Za-z0-9_][\\w.+-]{0,199}) ([A-Za-z0-9_][\\w.+-]{0,199})'

/** How each line is read: its shape, and what its words say. */
const SHAPES: readonly (readonly [RegExp, (words: Words) => ConditionFact])[] = [
  [/^clock (\d{1,12})$/, ([time]) => ({ kind: 'clock', time: new Date(Number(time) * 1000) })],
  [/^account ([0-9a-f]{2,8000})$/, ([name]) => ({ kind: 'account', name: fromHexadecimal(name) })],
  [/^open ([0-9a-f]{2,8000})$/, ([path]) => ({ kind: 'open', path: fromHexadecimal(path) })],
  [
    /^(shell|system|kernel|tar|nix|bubblewrap) ([0-9a-f]{2,1600})$/,
    ([of = '', text]) => ({ kind: 'version', of, text: fromHexadecimal(text) }),
  ],
  [
    new RegExp(`^starter (${STARTERS.join('|')})$`),
    ([starter]) => ({ kind: 'starter', starter: STARTERS.find((one) => one === starter) ?? 'none' }),
  ],
  [/^disk ([0-9a-f]{2,8000}) ([0-9a-f]{2,400}|-) (\d{1,15}|-) (\d{1,15}|-) (\d{1,15}|-) (\d{1,15}|-)$/, diskIn],
  [
    /^unwritable ([0-9a-f]{2,8000}) ([0-9a-f]{2,8000})$/,
    ([path, existing]) => ({ kind: 'unwritable', path: fromHexadecimal(path), existing: fromHexadecimal(existing) }),
  ],
  [
    new RegExp(`^lock ${PLACE} (holder .*)$`),
    ([target, profile, line = '']) => ({ kind: 'lock', ...placeIn(target, profile), holder: parseHolder([line]) }),
  ],
  [new RegExp(`^trial ${PLACE}$`), ([target, profile]) => ({ kind: 'trial', ...placeIn(target, profile) })],
  [
    new RegExp(`^unreached ${PLACE} \\d{1,6}\\.([\\w-]{1,200})$`),
    ([target, profile, token = '']) => ({ kind: 'unreached', ...placeIn(target, profile), token }),
  ],
  [
    new RegExp(`^broken ${PLACE} ?([0-9a-f]{0,8000})$`),
    ([target, profile, path]) => ({ kind: 'broken', ...placeIn(target, profile), path: fromHexadecimal(path) }),
  ],
  [
    /^rubbish ([0-9a-f]{2,8000}) (\d{1,12})$/,
    ([store, count]) => ({ kind: 'rubbish', store: fromHexadecimal(store), count: Number(count) }),
  ],
  [/^given-up (\d{1,12})$/, ([count]) => ({ kind: 'given-up', count: Number(count) })],
]

/** Parses a line of the answer; undefined if it is not one. */
export function factIn(line: string): ConditionFact | undefined {
  for (const [shape, read] of SHAPES) {
    const [, ...words] = shape.exec(line) ?? []
    if (words.length > 0) return read(words)
  }
  return undefined
}

function diskIn([path, device = '', total, left, files, filesLeft]: Words): ConditionFact {
  const bytes = spaceIn(total, left)
  return {
    kind: 'disk',
    path: fromHexadecimal(path),
    device,
    bytes: bytes && { total: bytes.total * 1024, left: bytes.left * 1024 },
    files: spaceIn(files, filesLeft),
  }
}

/** File systems that have as many files as there is space report none at all. */
function spaceIn(total: string | undefined, left: string | undefined): Space | undefined {
  const space = { total: Number(total), left: Number(left) }
  return Number.isNaN(space.total) || Number.isNaN(space.left) || space.total === 0 ? undefined : space
}

function placeIn(target: string | undefined, profile: string | undefined): LockPlace {
  return { target: (target ?? '') as TargetName, profile: (profile ?? '') as ProfileName }
}
