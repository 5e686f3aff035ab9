/** What ends with the session that a helper could not leave (see `target-runtime/runtime/session.sh`). */
export interface Fleeting {
  readonly ending: 'session' | 'manager' | 'unit' | 'scope'
  readonly account: string
  /** Unit of systemd to which everything there belongs. */
  readonly unit: string
}

/** Shape of the fact: how, account, unit. */
export const FLEETING = /^(?:session|manager|unit|scope) [\w.@-]{1,64}\$? [\w.@:\\-]{1,255}$/

export function parseFleeting(text: string): Fleeting {
  const [ending, account = '', unit = ''] = text.split(' ')
  return { ending: ending as Fleeting['ending'], account, unit }
}

/** Why it ends. */
export function wordsForFleeting({ ending, account, unit }: Fleeting): string {
  return {
    session: `systemd-logind ends what '${account}' has started there when davit logs out (KillUserProcesses)`,
    manager: `what '${account}' starts there in '${unit}' ends with his last login`,
    unit: `what davit starts there ends with '${unit}', in which it runs`,
    scope: `what davit starts there ends with '${unit}', and systemd-run fails for '${account}'`,
  }[ending]
}

export function hintForFleeting({ ending, account }: Fleeting): string {
  return ending === 'scope'
    ? `as '${account}' there, 'systemd-run --user --scope true' says why`
    : `as root there: loginctl enable-linger ${account}; davit then starts services with systemd-run --user`
}
