/** A member that is computed when it is first read; hidden ones are skipped by `JSON.stringify` and spreading. */
export interface Member {
  readonly name: string
  readonly compute: () => unknown
  readonly hidden?: boolean
}

/** Makes a frozen object whose members can have any name and are computed at most once; its prototype is the guard. */
export function lazyObject(members: Iterable<Member>, guard: object | null = null): object {
  const lazy = Object.create(guard) as object
  for (const { name, compute, hidden } of members) {
    Object.defineProperty(lazy, name, { get: once(compute), enumerable: hidden !== true, configurable: true })
  }
  return Object.freeze(lazy)
}

/** Remembers the first result of a function; errors are not remembered. */
export function once<Result>(compute: () => Result): () => Result {
  let known: { readonly result: Result } | undefined
  return () => {
    known ??= { result: compute() }
    return known.result
  }
}

/** Remembers the result of a function for each key. */
export function memoized<Key, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new Map<Key, Result>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
