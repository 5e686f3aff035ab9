import { originalLockScript } from '@davit/target-runtime'

import { whileWatched } from '../helper/channel-watch.ts'
import { badAnswer, fromHexadecimal, readLines } from '../helper/answer-lines.ts'
import type { LockPlace } from '../lock.ts'
import type { Machine } from '../machine.ts'
import { openScript, type ScriptChannel } from '../script-channel.ts'
import { originalLocked } from './original.ts'

/** A machine that may have a deployment of Disnix. */
type OriginalMachine = Pick<Machine, 'address' | 'run' | 'facts' | 'answerSeconds'>

/** Takes the lock of Disnix, which knows nothing of davit's own; throws the DavitError 'original-locked' if it is at work itself. */
export async function holdOriginal(machine: OriginalMachine, place: LockPlace): Promise<void> {
  const answer = await answerOf(machine, 'hold', place)
  const [, locked] = /^locked ([0-9a-f]+)$/.exec(answer) ?? []
  if (locked !== undefined) throw originalLocked(new Map([[place.target, fromHexadecimal(locked)]]))
  if (answer !== 'held') throw badAnswer(machine.address)
}

/** Gives the lock of Disnix back, unless davit still works there. */
export async function dropOriginal(machine: OriginalMachine, place: LockPlace): Promise<void> {
  if ((await answerOf(machine, 'drop', place)) !== 'dropped') throw badAnswer(machine.address)
}

async function answerOf(machine: OriginalMachine, work: 'hold' | 'drop', { profile }: LockPlace): Promise<string> {
  const { stateDirectory: state } = machine.facts
  const channel = await openScript(machine, {
    script: (marker) => originalLockScript({ marker, work, state, profile }),
    answerSeconds: machine.answerSeconds,
  })
  const { address, answerSeconds: seconds } = machine
  try {
    channel.stdin.end()
    channel.stderr.resume()
    const { signal } = new AbortController()
    return await whileWatched(channel, { address, seconds, signal }, () => firstLine(channel))
  } finally {
    channel.close()
  }
}

/** The first line that a script prints; empty if there is none. */
function firstLine({ stdout }: Pick<ScriptChannel, 'stdout'>): Promise<string> {
  return new Promise((resolve) => {
    readLines(stdout, resolve)
    stdout.once('error', () => resolve(''))
    stdout.once('close', () => resolve(''))
  })
}
