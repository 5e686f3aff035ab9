import { DavitError, ExitStatus, shellWord } from '@davit/diagnostics'
import { foreignStep, type ForeignStep, linkWithin } from './foreign-step.ts'
import { ownAccount } from './own-account.ts'

/** Refuses a path that somebody else could lead elsewhere: what davit writes, or removes, would not be where it seems. */
export function refuseForeign(path: string): void {
  const step = foreignStep(path)
  if (step !== undefined) throw refusal(path, WHY[step.why](step))
}

/** Refuses a path in a directory that a repository may have brought, if there is a link on the way. */
export function refuseLink(root: string, path: string): void {
  const link = linkWithin(root, path)
  if (link === undefined) return
  throw refusal(path, {
    reason: `'${link}' is a link, which may lead anywhere`,
    hint: `remove it, and run the same command: rm ${shellWord(link)}`,
  })
}

interface Refusal {
  readonly reason: string
  readonly hint: string
}

const WHY: Readonly<Record<ForeignStep['why'], (step: ForeignStep) => Refusal>> = {
  owner: ({ path, uid }) => ({
    reason: `'${path}' belongs to another user (${uid}), who could lead it elsewhere`,
    hint: `run the same command as that user, or, as root, take it from them: chown -h ${ownAccount().name} ${shellWord(path)}`,
  }),
  mode: ({ path }) => ({
    reason: `other users may write to '${path}', and could lead it elsewhere`,
    hint: `choose another directory, or: chmod go-w ${shellWord(path)}`,
  }),
}

function refusal(path: string, { reason, hint }: Refusal): DavitError {
  return new DavitError('cannot-create', `cannot use '${path}': ${reason}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint,
  })
}
