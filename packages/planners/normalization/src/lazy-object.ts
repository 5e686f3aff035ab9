/** A member that is computed when it is first read; `JSON.stringify` and spreading skip it when it is hidden. */
export interface Member {
  readonly name: string
  readonly compute: () => unknown
  readonly hidden?: boolean
}

/** A frozen object, every name of which is free, whose members are computed at most once; the guard says what others are. */
export function lazyObject(members: Iterable<Member>, guard: object | null = null): object {
  const lazy = Object.create(guard) as object
  for (const { name, compute, hidden } of members) {
    Object.defineProperty(lazy, name, { get: once(compute), enumerable: hidden !== true, configurable: true })
  }
  return Object.freeze(lazy)
}

/** The function with its first result remembered; what it throws is not. */
export function once<Result>(compute: () => Result): () => Result {
  let known: { readonly result: Result } | undefined
  return () => {
    known ??= { result: compute() }
    return known.result
  }
}

/** The function with its result for each key remembered. */
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
