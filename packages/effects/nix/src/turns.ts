export interface Turn {
  /** Resolves when all turns that were taken before have ended. */
  readonly start: Promise<void>
  end(): void
}

export interface Turns {
  take(): Turn
  /** Whether a turn has not ended. */
  taken(): boolean
  /** Starts all turns; later ones do not wait. */
  stop(): void
}

/** Turns that start one after the other, in the order in which they are taken. */
export function openTurns(): Turns {
  const starts: (() => void)[] = []
  let stopped = false
  return {
    take() {
      const { promise, resolve } = withResolvers()
      starts.push(resolve)
      if (starts.length === 1 || stopped) resolve()
      return {
        start: promise,
        end() {
          if (starts[0] !== resolve) return
          starts.shift()
          starts[0]?.()
        },
      }
    },
    taken: () => starts.length > 0,
    stop() {
      stopped = true
      for (const start of starts) start()
    },
  }
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
