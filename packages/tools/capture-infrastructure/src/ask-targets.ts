import { type Captured, captureMachine } from '@davit/capture'
import { type Connection, connectionPool } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { isClientExecutable, type System, type Target, type TargetName } from '@davit/documents'
import type { GivenTarget } from '@davit/models'
import { requestFor } from '@davit/target'
import { secondsIn, type ToolContext, unlessInterrupted } from '@davit/tool'

import { say } from './messages.ts'
import type { Arguments } from './wanted-targets.ts'

/** What the machine of each target tells, or why it cannot be asked. */
export type Answers = ReadonlyMap<TargetName, Captured | DavitError>

type Answer = readonly [TargetName, Captured | DavitError]

/** Asks the machines of all targets at a time. One that cannot be asked does not stop the others. */
export async function askTargets(
  targets: ReadonlyMap<TargetName, GivenTarget>,
  context: ToolContext<Arguments>,
): Promise<Answers> {
  const { args, environment, signal, openPool = connectionPool } = context
  const seconds = secondsIn(environment, 'DAVIT_ANSWER_TIMEOUT')
  const pool = openPool(context)
  // Targets with the same address have one machine.
  const machines = new Map<Connection, Promise<Captured>>()
  const infrastructure = new Map([...targets].map(([name, target]) => [name, reachable(target, args)]))
  const ask = async (name: TargetName): Promise<Captured> => {
    const connection = await pool.connect(requestFor(infrastructure, name))
    const captured = machines.get(connection) ?? captureMachine(connection, { seconds, signal })
    machines.set(connection, captured)
    return captured
  }
  const answerOf = async (name: TargetName): Promise<Answer> => {
    try {
      return [name, await ask(name)]
    } catch (error) {
      if (!(error instanceof DavitError) || signal.aborted) throw error
      return [name, error]
    }
  }
  const asked = [...targets].flatMap(([name, target]) => (isAskable(name, target, context) ? [name] : []))
  try {
    return new Map(await unlessInterrupted(Promise.all(asked.map(answerOf)), signal))
  } finally {
    await pool.close()
  }
}

/** Only how it is reached matters here. */
function reachable(target: GivenTarget, { interface: clientInterface, targetProperty }: Arguments): Target {
  return { system: 'unknown' as System, numOfCores: 1, clientInterface, targetProperty, ...target }
}

/** The protocol of client executables does not tell what a machine is. */
function isAskable(
  name: TargetName,
  { clientInterface: own }: GivenTarget,
  { args, report }: ToolContext<Arguments>,
): boolean {
  const clientInterface = own ?? args.interface
  if (!isClientExecutable(clientInterface)) return true
  report(say('machine-behind-client', { target: name, clientInterface }))
  return false
}
