import type { RunningCommand } from '@davit/process'

import { scriptLine } from './bootstrap.ts'
import type { Channel } from './channel.ts'
import { channelClosed, channelExit } from './channel-exit.ts'

export interface CommandScript {
  readonly script: string
  /** Of the machine on which it runs, for errors. */
  readonly address: string
}

/** Makes a channel of a command that reads a script and runs it. Closing ends the streams; `ended` may do more. */
export function commandChannel(
  { stdin, stdout, stderr, exit }: RunningCommand,
  { script, address }: CommandScript,
  ended: () => void = () => {},
): Channel {
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  stdin.write(scriptLine(script))
  const end = channelExit()
  void exit.then((exitCode) => end.resolve(exitCode))
  return {
    stdin,
    stdout,
    stderr,
    exit: end.promise,
    close() {
      end.reject(channelClosed(address))
      ended()
      for (const stream of [stdin, stdout, stderr]) stream.destroy()
    },
  }
}
