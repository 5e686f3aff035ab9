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
  const answer = lineReceiver()
  const send = async (stdin: Writable) => {
    await sendProperties(stdin, call)
    // Otherwise, the script is removed.
    if (isWhole(await answer.received)) stdin.write('\n')
  }
  const { carried: modules } = call.module
  const prepare = { operation: 'prepare_shell', words: wordsOf(call), modules, send, receive: answer.receive } as const
  const remove = () => removeShell(client, answer.text())
  const status = await perform(client, prepare).catch(async (error: unknown) => {
    await remove().catch(() => {})
    throw error
  })
  if (status !== 0) return undefined
  const directory = answer.text().trimEnd()
  if (PLAIN_PATH.test(directory)) return { script: `${directory}/start`, remove }
  await remove()
  throw badAnswer(client.connection.address)
}

/** Receives a line; `received` resolves with it, or with what has come when nothing more comes. */
function lineReceiver() {
  let text = ''
  let end = () => {}
  const received = new Promise<void>((resolve) => (end = resolve)).then(() => text)
  const receive = async (stdout: Readable) => {
    try {
      for await (const chunk of stdout) {
        text += String(chunk)
        if (isWhole(text)) end()
      }
    } finally {
      end()
    }
  }
  return { receive, received, text: () => text }
}

function isWhole(text: string): boolean {
  return text.endsWith('\n')
}

async function removeShell(client: Client, text: string): Promise<void> {
  if (!isWhole(text)) return
  // Even after Ctrl-C.
  const { signal } = new AbortController()
  await perform({ ...client, signal }, { operation: 'remove_shell', words: [text.trimEnd()] })
}

/** It becomes part of a command line. */
const PLAIN_PATH = /^\/[\w./+-]+$/

function wordsOf({ module, container, component }: Call): readonly string[] {
  return [module.type, container, component]
}
