import { limiter, type Limiter } from './limiter.ts'

/** Bounds handshakes: of all servers together, and to one at a time at a server that has hung up because of too many. */
export interface HandshakeLanes {
  run<Result>(server: string, task: () => Promise<Result>): Promise<Result>
  narrow(server: string): void
}

export function handshakeLanes(handshakes: Limiter): HandshakeLanes {
  const narrow = new Map<string, Limiter>()
  const run = async <Result>(server: string, task: () => Promise<Result>): Promise<Result> => {
    const lane = narrow.get(server)
    if (lane !== undefined) return lane.run(() => handshakes.run(task))
    // While this waits for its turn, the server may become narrow.
    const turn = await handshakes.run(async () => (narrow.has(server) ? undefined : { result: await task() }))
    return turn === undefined ? run(server, task) : turn.result
  }
  return {
    run,
    narrow(server) {
      if (!narrow.has(server)) narrow.set(server, limiter(1))
    },
  }
}
