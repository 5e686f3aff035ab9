/** One value for each key, made once for all concurrent callers; a failure reaches those who wait and is then forgotten. */
export interface Shared<Value> {
  get(key: string, make: () => Promise<Value>): Promise<Value>
  forget(key: string): void
}

export function shared<Value>(): Shared<Value> {
  const values = new Map<string, Promise<Value>>()
  return {
    get(key, make) {
      const existing = values.get(key)
      if (existing !== undefined) return existing
      const made = make()
      values.set(key, made)
      made.catch(() => {
        if (values.get(key) === made) values.delete(key)
      })
      return made
    },
    forget: (key) => void values.delete(key),
  }
}
