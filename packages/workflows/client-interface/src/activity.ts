import type { Writable } from 'node:stream'

import { encodeField } from '@davit/target-runtime'

import { type Client, perform } from './client.ts'
import type { ModuleChoice } from './find-module.ts'

/** A module, and what it is called for. */
export interface Call {
  readonly module: ModuleChoice
  /** By default, the type. */
  readonly container: string
  readonly component: string
  /** Properties of the container. */
  readonly properties: readonly (readonly [name: string, value: string])[]
}

export type StateActivity = 'snapshot' | 'restore' | 'collect-garbage'

/** Calls a module; what it prints is passed on when it has ended. */
export function activity(client: Client, name: string, call: Call): Promise<number> {
  const { module, container, component } = call
  return perform(client, {
    operation: isStateActivity(name) ? 'state_activity' : 'activity',
    words: [name, module.type, container, component],
    modules: module.carried,
    send: (stdin) => sendProperties(stdin, call),
  })
}

function isStateActivity(name: string): name is StateActivity {
  return name === 'snapshot' || name === 'restore' || name === 'collect-garbage'
}

export async function sendProperties(stdin: Writable, { properties }: Pick<Call, 'properties'>): Promise<void> {
  for (const [name, value] of properties) stdin.write(`1 ${name} ${encodeField(value)}\n`)
  stdin.write('.\n')
}
