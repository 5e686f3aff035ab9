import { readsCharacters } from './definition.ts'
import { isBlank, lower, upper } from './characters.ts'

/** Maps each character, with the one before it. */
function mapped(value: string, map: (character: string, before: string) => string): string {
  let before = ' '
  const parts: string[] = []
  for (const character of value) {
    parts.push(map(character, before))
    before = character
  }
  return parts.join('')
}

/** Whether a word ends before this character, as for Go's `strings.Title`. */
function separates(character: string): boolean {
  return character < '\u0080' ? !/[A-Za-z0-9_]/.test(character) : isBlank(character)
}

function swapped(character: string): string {
  return lower(character) === character ? upper(character) : lower(character)
}

export const words = {
  title: readsCharacters((value) => mapped(value, (letter, before) => (separates(before) ? upper(letter) : letter))),
  untitle: readsCharacters((value) => mapped(value, (letter, before) => (isBlank(before) ? lower(letter) : letter))),
  swapcase: readsCharacters((value) => mapped(value, swapped)),
  nospace: readsCharacters((value) => mapped(value, (letter) => (isBlank(letter) ? '' : letter))),
  initials: readsCharacters((value) =>
    mapped(value, (letter, before) => (isBlank(before) && !isBlank(letter) ? letter : '')),
  ),
}
