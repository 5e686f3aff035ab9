import { type ServeClient, withLocalServe } from '@davit/nix'
import type { Environment } from '@davit/process'

export type WithServe = <Result>(use: (client: ServeClient) => Promise<Result>) => Promise<Result>

/** All who speak with the store at the same time share one process; it ends with the last of them. */
export function sharedServe(environment: Environment): WithServe {
  let current: Session | undefined
  return async (use) => {
    const session = (current ??= startSession(environment))
    session.users += 1
    try {
      return await use(await session.client)
    } catch (error) {
      // It may be broken: who comes next has another one.
      if (current === session) current = undefined
      throw error
    } finally {
      session.users -= 1
      if (session.users === 0) {
        if (current === session) current = undefined
        await session.end()
      }
    }
  }
}

interface Session {
  readonly client: Promise<ServeClient>
  users: number
  end(): Promise<void>
}

function startSession(environment: Environment): Session {
  let finish: () => void = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let ended: Promise<void> = Promise.resolve()
  const client = new Promise<ServeClient>((resolve, reject) => {
    ended = withLocalServe(environment, (opened) => {
      resolve(opened)
      return finished
    })
    ended.catch(reject)
  })
  return {
    client,
    users: 0,
    async end() {
      finish()
      // Why it could not be opened is told to those who wanted it.
      await ended.catch(() => {})
    },
  }
}
