/** Runs a limited number of tasks at a time, first come first served. */
export interface Limiter {
  run<Result>(task: () => Promise<Result>): Promise<Result>
}

export function limiter(places: number): Limiter {
  let free = places
  const waiting: (() => void)[] = []
  const enter = (): Promise<void> | undefined => {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve))
    free -= 1
    return undefined
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return {
    async run(task) {
      await enter()
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
