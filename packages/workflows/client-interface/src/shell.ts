import type { Readable, Writable } from 'node:stream'

import { badAnswer } from '@davit/target'

import { type Call, sendProperties } from './activity.ts'
import { type Client, perform } from './client.ts'

/** Runs a command in the environment of a component; resolves with its status. */
export function runInShell(client: Client, call: Call, command: string): Promise<number> {
  return perform(client, {
    operation: 'shell',
    words: [...wordsOf(call), command],
    modules: call.module.carried,
    send: (stdin) => sendProperties(stdin, call),
    mayLinger: true,
  })
}

export interface PreparedShell {
  /** Script on that machine, which becomes the shell, and contains the properties. */
  readonly script: string
  /** Removes it, if nobody has begun with it. */
  remove(): Promise<void>
}

/** Leaves a script there, for a shell that a terminal is connected to; undefined if that fails. */
export async function openShell(client: Client, call: Call): Promise<PreparedShell | undefined> {
  let text = ''
  const receive = async (stdout: Readable) => {
    for await (const chunk of stdout) text += String(chunk)
  }
  const { carried: modules } = call.module
  const send = (stdin: Writable) => sendProperties(stdin, call)
  const status = await perform(client, { operation: 'prepare_shell', words: wordsOf(call), modules, send, receive })
  if (status !== 0) return undefined
  const directory = text.trimEnd()
  if (!PLAIN_PATH.test(directory)) throw badAnswer(client.connection.address)
  return {
    script: `${directory}/start`,
    async remove() {
      // Even after Ctrl-C.
      const { signal } = new AbortController()
      await perform({ ...client, signal }, { operation: 'remove_shell', words: [directory] })
    },
  }
}

/** It becomes part of a command line. */
const PLAIN_PATH = /^\/[\w./+-]+$/

function wordsOf({ module, container, component }: Call): readonly string[] {
  return [module.type, container, component]
}
