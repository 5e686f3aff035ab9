import { DavitError, ExitStatus } from '@davit/diagnostics'

export interface ChannelExit {
  readonly promise: Promise<number>
  resolve(exitCode: number): void
  reject(error: DavitError): void
}

/** An exit status to be told once; nobody has to wait for it. */
export function channelExit(): ChannelExit {
  let settle: Pick<ChannelExit, 'resolve' | 'reject'> | undefined
  const promise = new Promise<number>((resolve, reject) => {
    settle = { resolve, reject }
  })
  promise.catch(() => {})
  return { promise, resolve: (exitCode) => settle?.resolve(exitCode), reject: (error) => settle?.reject(error) }
}

export function channelClosed(address: string): DavitError {
  return new DavitError('channel-closed', `stopped listening to a script on '${address}'`)
}

export function connectionLost(address: string, reason: string): DavitError {
  return new DavitError('connection-lost', `lost the connection to '${address}': ${reason}`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'what was started there goes on; repeat the command, and it waits for it or undoes it',
  })
}
