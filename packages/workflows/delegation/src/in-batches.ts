export interface BatchOptions<Item, Result> {
  /** Maximum size of a batch in each place; as many batches run at a time as there are places. */
  readonly places: readonly number[]
  /** Once aborted, waiting items are rejected with its reason. */
  readonly signal: AbortSignal
  /** Processes a batch; the results are in the order of the items. */
  work(items: readonly Item[]): Promise<readonly Result[]>
}

/** Combines items into batches that are requested at the same time, or while no place is free. */
export function inBatches<Item, Result>(options: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  const free = [...options.places]
  let isScheduled = false

  const start = (place: number) => {
    // Spread over the free places, since the items of one batch wait for one another.
    const share = Math.ceil(waiting.length / (free.length + 1))
    const batch = waiting.splice(0, Math.min(place, share))
    void settle(batch, options).finally(() => {
      free.push(place)
      startAll()
    })
  }
  const startAll = () => {
    isScheduled = false
    if (options.signal.aborted) refuse(waiting.splice(0), options.signal.reason)
    while (waiting.length > 0) {
      const place = free.shift()
      if (place === undefined) return
      start(place)
    }
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      // Includes other items that become ready in the same moment.
      if (!isScheduled) setImmediate(startAll)
      isScheduled = true
    })
}

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(reason: unknown): void
}

async function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  { work }: BatchOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await work(batch.map(({ item }) => item))
    batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
  } catch (error) {
    refuse(batch, error)
  }
}

function refuse(batch: readonly Pick<Waiting<never, never>, 'reject'>[], reason: unknown): void {
  for (const { reject } of batch) reject(reason)
}
