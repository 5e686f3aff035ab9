export interface GraphNode<Id> {
  readonly needs: readonly Id[]
}

export interface RunGraphOptions<Node> {
  readonly limit: number
  /** After an abort no new node is started. */
  readonly signal: AbortSignal
  /** Resolves to false if the nodes that need this one must not run. */
  run(node: Node): Promise<boolean>
}

/**
 * Runs every node after the nodes it needs, at most `limit` at a time. When a run throws, `runGraph` waits for the nodes
 * that have been started, then throws the first error.
 */
export async function runGraph<Id, Node extends GraphNode<Id>>(
  nodes: ReadonlyMap<Id, Node>,
  { limit, signal, run }: RunGraphOptions<Node>,
): Promise<void> {
  const frontier = openFrontier(nodes)
  const running = new Set<Promise<void>>()
  const errors: unknown[] = []
  const start = (id: Id, node: Node): void => {
    const task: Promise<void> = run(node)
      .then((done) => (done ? frontier.finish(id) : undefined))
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(task))
    running.add(task)
  }
  for (;;) {
    while (running.size < limit && errors.length === 0 && !signal.aborted) {
      const next = frontier.take()
      if (next === undefined) break
      start(...next)
    }
    if (running.size === 0) break
    await Promise.race(running)
  }
  if (errors.length > 0) throw errors[0]
}

interface Frontier<Id, Node> {
  /** Returns a node whose needs are all finished. */
  take(): readonly [Id, Node] | undefined
  finish(id: Id): void
}

function openFrontier<Id, Node extends GraphNode<Id>>(nodes: ReadonlyMap<Id, Node>): Frontier<Id, Node> {
  const missing = new Map([...nodes].map(([id, { needs }]) => [id, needs.length]))
  const dependants = dependantsOf(nodes)
  const ready = [...nodes.keys()].filter((id) => missing.get(id) === 0)
  return {
    take() {
      const id = ready.shift()
      const node = id === undefined ? undefined : nodes.get(id)
      return id === undefined || node === undefined ? undefined : [id, node]
    },
    finish(id) {
      for (const dependant of dependants.get(id) ?? []) {
        const left = (missing.get(dependant) ?? 0) - 1
        missing.set(dependant, left)
        if (left === 0) ready.push(dependant)
      }
    },
  }
}

function dependantsOf<Id, Node extends GraphNode<Id>>(nodes: ReadonlyMap<Id, Node>): ReadonlyMap<Id, readonly Id[]> {
  const dependants = new Map<Id, Id[]>()
  for (const [id, { needs }] of nodes) {
    for (const need of needs) {
      const known = dependants.get(need)
      if (known === undefined) dependants.set(need, [id])
      else known.push(id)
    }
  }
  return dependants
}
