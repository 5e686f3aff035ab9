import { PassThrough, Readable } from 'node:stream'

import type { Channel } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'

import { receiveArchive } from '../src/streams/receive-archive.ts'
import { sendArchive, type StreamEnd } from '../src/streams/send-archive.ts'

const CLOSED = new DavitError('channel-closed', "closed the channel to a script on 'far'")
const ENOUGH = new Error('enough')

/** A machine whose scripts never end by themselves; closing their channel breaks its streams, unless it hangs. */
function machineWith(closing: 'breaks' | 'hangs') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const close = () => {
    if (closing === 'breaks') for (const stream of [stdin, stdout, stderr]) stream.destroy(CLOSED)
  }
  const exit = closing === 'breaks' ? Promise.reject(CLOSED) : new Promise<never>(() => {})
  exit.catch(() => {})
  const channel: Channel = { stdin, stdout, stderr, exit, close }
  const facts = { checksum: 'cksum' } as StreamEnd['facts']
  // Not every stream is read.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  return { address: 'far', answerSeconds: closing === 'hangs' ? 0.5 : 120, facts, run: async () => channel, stdin }
}

test.each(['breaks', 'hangs'] as const)(
  'sending an archive ends with the reason of the interruption, if the channel %s',
  async (closing) => {
    const stop = new AbortController()
    const machine = machineWith(closing)
    machine.stdin.once('data', () => stop.abort(ENOUGH))
    const place = { incoming: '/store/.incoming', name: 'one', owner: '7:1234:boot' }
    const sending = sendArchive(machine, place, {
      what: 'packages',
      archive: Readable.from(['archive']),
      signal: stop.signal,
    })
    await expect(sending).rejects.toBe(ENOUGH)
  },
)

test.each(['breaks', 'hangs'] as const)(
  'receiving an archive ends with the reason of the interruption, if the channel %s',
  async (closing) => {
    const stop = new AbortController()
    const machine = machineWith(closing)
    const failed = (reason: string) => new DavitError('fetch-failed', reason)
    const wanted = { directory: '/store', names: ['web'], failed, signal: stop.signal }
    const receiving = receiveArchive(machine, wanted, async (archive) => {
      stop.abort(ENOUGH)
      for await (const _ of archive);
    })
    await expect(receiving).rejects.toBe(ENOUGH)
  },
)
