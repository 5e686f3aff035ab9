import { comparisons } from './comparisons.ts'
import type { TemplateFunction } from './definition.ts'
import { encodings } from './encodings.ts'
import { escapes } from './escapes.ts'
import { expansion } from './expansion.ts'
import { kinds } from './kinds.ts'
import { layout } from './layout.ts'
import { lists } from './lists.ts'
import { logic } from './logic.ts'
import { maps } from './maps.ts'
import { numbers } from './numbers.ts'
import { printing } from './printing.ts'
import { texts } from './texts.ts'
import { words } from './words.ts'

/** All functions of the language: those of Go, and those of stack files. */
export const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map(
  [
    comparisons,
    encodings,
    escapes,
    expansion,
    kinds,
    layout,
    lists,
    logic,
    maps,
    numbers,
    printing,
    texts,
    words,
  ].flatMap((group) => Object.entries(group)),
)

/** `and` and `or` evaluate no argument after the one that decides: the first that is false, or true. */
export const STOPS_AT: ReadonlyMap<string, boolean> = new Map([
  ['and', false],
  ['or', true],
])
