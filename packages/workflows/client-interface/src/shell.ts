import type { Readable, Writable } from 'node:stream'

import { badAnswer } from '@davit/target'

import { type Call, sendProperties } from './activity.ts'
import { type Client, type Operation, perform } from './client.ts'

/** A program or shell that gets properties as variables. */
export interface ShellOperation extends Pick<Operation, 'operation' | 'words' | 'modules'> {
  readonly properties: Call['properties']
}

/** Runs a command in the environment of a component; resolves with its status. */
export function runInShell(client: Client, call: Call, command: string): Promise<number> {
  return runProgram(client, { ...operationOf(call, 'shell'), words: [...wordsOf(call), command] })
}

/** Runs a program on the machine; resolves with its status. */
export function runProgram(client: Client, { properties, ...operation }: ShellOperation): Promise<number> {
  return perform(client, { ...operation, send: (stdin) => sendProperties(stdin, { properties }), mayLinger: true })
}

export interface PreparedShell {
  /** Script on that machine, which becomes the shell, and contains the properties. */
  readonly script: string
  /** Removes it, if nobody has begun with it. */
  remove(): Promise<void>
}

/** Leaves a script there, for a shell that a terminal is connected to; undefined if that fails. */
export function openShell(client: Client, call: Call): Promise<PreparedShell | undefined> {
  return prepareShell(client, operationOf(call, 'prepare_shell'))
}

/** The same for any operation that leaves such a script. */
export async function prepareShell(
  client: Client,
  { properties, ...operation }: ShellOperation,
): Promise<PreparedShell | undefined> {
  const answer = lineReceiver()
  const send = async (stdin: Writable) => {
    await sendProperties(stdin, { properties })
    // Otherwise, the script is removed.
    if (isWhole(await answer.received)) stdin.write('\n')
  }
  const prepare = { ...operation, send, receive: answer.receive }
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

function operationOf(call: Call, operation: 'shell' | 'prepare_shell'): ShellOperation {
  return { operation, words: wordsOf(call), modules: call.module.carried, properties: call.properties }
}

function wordsOf({ module, container, component }: Call): readonly string[] {
  return [module.type, container, component]
}
