import { type Client, openShell, type Call, runInShell } from '@davit/client-interface'
import type { ToolContext } from '@davit/tool'

import type { Arguments } from './arguments.ts'
import { callOf } from './call.ts'
import type { Place } from './carry-out.ts'

/** Opens a shell, or runs a command in it; resolves with its status. */
export function shell(args: Arguments, context: ToolContext<Arguments>) {
  const call = callOf(args, context)
  const { command } = args
  return async ({ client, place }: { readonly client: Client; readonly place: Place }): Promise<number> =>
    command === undefined
      ? interact(client, await call(), { place, context })
      : runInShell(client, await call(), command)
}

interface Surroundings {
  readonly place: Place
  readonly context: ToolContext<Arguments>
}

async function interact(client: Client, call: Call, { place, context }: Surroundings): Promise<number> {
  const prepared = await openShell(client, call)
  if (prepared === undefined) return 1
  try {
    return await context.runInForeground({ argv: place.shell(prepared.script) })
  } finally {
    await prepared.remove()
  }
}
