import { compareText } from '@davit/languages'
/** Names in either table, in order. */
export function namesOfBoth<Name extends string>(
  one: ReadonlyMap<Name, unknown>,
  other: ReadonlyMap<Name, unknown>,
): readonly Name[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort(compareText)
}

/** Values of `more` whose names `some` lacks, in order of names. */
export function missingIn<Value>(
  some: ReadonlyMap<string, unknown>,
  more: ReadonlyMap<string, Value>,
): readonly Value[] {
  const missing: [string, Value][] = []
  for (const entry of more) if (!some.has(entry[0])) missing.push(entry)
  return missing.sort(([left], [right]) => compareText(left, right)).map(([, value]) => value)
}

/** Pairs the items of two lists by their positions; the longer list has items without a partner. */
export function sideBySide<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One | undefined, Other | undefined])[] {
  const pairs = ones.map((one, at) => [one, others[at]] as const)
  return [...pairs, ...others.slice(ones.length).map((other) => [undefined, other] as const)]
}

/** Fields of a change; a value that is missing has no field. */
export function fromTo<Value>(from: Value | undefined, to: Value | undefined) {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
