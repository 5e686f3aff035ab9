import { DavitError, ExitStatus } from '@davit/diagnostics'

export interface ChannelExit {
  readonly promise: Promise<number>
  resolve(exitCode: number): void
  reject(error: Error): void
}

/** Exit status of a channel, settled once; a rejection may go unobserved. */
export function channelExit(): ChannelExit {
  let settle: Pick<ChannelExit, 'resolve' | 'reject'> | undefined
  const promise = new Promise<number>((resolve, reject) => {
    settle = { resolve, reject }
  })
  promise.catch(() => {})
  return { promise, resolve: (exitCode) => settle?.resolve(exitCode), reject: (error) => settle?.reject(error) }
}

export function channelClosed(address: string): DavitError {
  return new DavitError('channel-closed', `closed the channel to a script on '${address}'`)
}

export function connectionLost(address: string, reason: string): DavitError {
  return new DavitError('connection-lost', `lost the connection to '${address}': ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'run the same command again; work started there continues, and the next run waits for it or undoes it',
  })
}

/** For what is asked of connections after they were closed. */
export function connectionsClosing(): DavitError {
  return new DavitError('interrupted', 'connections are being closed', { exitStatus: ExitStatus.interrupted })
}
