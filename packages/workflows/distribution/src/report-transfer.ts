import { renderBytes, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { isBroken, type Transferred } from '@davit/target'

export interface ReportedTransfer {
  readonly target: TargetName
  readonly verb: 'send' | 'fetch'
  readonly report: Report
  readonly signal: AbortSignal
}

/** Reports a transfer of packages to or from a target. One that a broken connection has cut off is repeated. */
export async function reportTransfer(
  { target, verb, report, signal }: ReportedTransfer,
  transfer: () => Promise<Transferred>,
): Promise<void> {
  const event = { id: `${verb} ${target}`, target, step: `${verb} packages` }
  signal.throwIfAborted()
  report({ kind: 'started', ...event })
  try {
    const sent = await transferAgain(transfer)
    report({ kind: 'finished', ...event, step: stepOf(verb, sent), bytes: sent.bytes })
  } catch (error) {
    report({ kind: 'failed', ...event, message: messageOf(error) })
    throw error
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Repeats a transfer once the machine can be reached again. */
async function transferAgain(transfer: () => Promise<Transferred>): Promise<Transferred> {
  for (let losses = 0; ; losses += 1) {
    try {
      return await transfer()
    } catch (error) {
      if (!isBroken(error) || losses === MAX_LOSSES) throw error
    }
  }
}

const MAX_LOSSES = 3

function stepOf(verb: ReportedTransfer['verb'], { paths, bytes }: Transferred): string {
  if (paths === 0) return `${verb} packages (all are ${verb === 'send' ? 'there' : 'here'})`
  return `${verb} ${paths === 1 ? '1 package' : `${paths} packages`} (${renderBytes(bytes)})`
}
