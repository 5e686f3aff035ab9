import { compareText } from './by-name.ts'

/** Orders by names as people do: `host-2` comes before `host-10`. What has the same name keeps its order. */
export function inOrderOfNames<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): readonly Item[] {
  const named = [...items].map((item) => ({ item, name: sortable(nameOf(item)) }))
  return named.sort((left, right) => compareText(left.name, right.name)).map(({ item }) => item)
}

/** Text whose plain order is that of names. */
function sortable(name: string): string {
  return name.replace(NUMBERS, padded)
}

const NUMBERS = /\d+/g

function padded(digits: string): string {
  return digits.padStart(12, '0')
}
