import { DavitError } from '@davit/diagnostics'
import { runCommand } from '@davit/process'

import { type Check, fine, found } from '../check.ts'
import type { CheckupTerms } from '../terms.ts'

/** Asks systemd, where there is one, whether the clock is synchronised. */
export async function ownClockChecks({ environment, signal }: CheckupTerms): Promise<readonly Check[]> {
  const argv = ['timedatectl', 'show', '--property=NTPSynchronized', '--value'] as const
  const answer = await runCommand({ argv, env: environment, signal, timeoutSeconds: 10 }).catch((error: unknown) => {
    if (error instanceof DavitError && error.code !== 'interrupted') return undefined
    throw error
  })
  return clockCheck(answer?.exitCode === 0 ? answer.stdout.trim() : '')
}

export function clockCheck(answer: string): readonly Check[] {
  if (answer === 'yes') return [fine('clock', 'the clock is synchronised')]
  if (answer !== 'no') return []
  const finding = {
    text: 'the clock is not synchronised',
    means: 'it may drift from those of the targets',
    remedy: 'timedatectl set-ntp true',
  }
  return [found('clock', 'warning', finding)]
}
