import { type ServeClient, withLocalServe } from '@davit/nix'
import type { Environment } from '@davit/process'

export type WithServe = <Result>(use: (client: ServeClient) => Promise<Result>) => Promise<Result>

/** Shares one process of the store among all concurrent users; it ends with the last of them. */
export function sharedServe(environment: Environment): WithServe {
  let current: Session | undefined
  return async (use) => {
    const session = (current ??= startSession(environment))
    session.users += 1
    try {
      return await use(await session.client)
    } catch (error) {
      // The session may be broken; the next user gets another one.
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
      // Its users get the error if it could not be opened.
      await ended.catch(() => {})
    },
  }
}
