import {
  describeOwner,
  encodeOwner,
  endDeployment,
  freeLock,
  isDead,
  lockedTargets,
  type LockRecord,
  readLockRecord,
} from '@davit/deployment-lock'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type Infrastructure, Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { comesFrom, processIdentity } from '@davit/process'
import {
  activityOptions,
  connectionEnvironment,
  defineTool,
  deploymentOf,
  profileOptions,
  stateEnvironment,
  withTargets,
} from '@davit/tool'

export const tool = defineTool({
  name: 'davit-unlock',
  summary: 'Unlock a deployment that davit-lock has locked',
  description: [
    'Unlocks what davit-lock has locked, as recorded in the state of the coordinator. On empty input, because an earlier step of the pipe failed, it unlocks what davit-lock has locked in the same pipe, and still fails.',
    'A lock that davit-lock holds while a command runs ends with the command, and cannot be unlocked from elsewhere. With --id, releases the lock of anybody on the targets of the manifest, and prints the holder; this is meant for a lock that is no longer used. A deployment that still works under it ends at its next step.',
  ],
  examples: [
    { command: 'davit-unlock manifest.xml', describe: 'unlock the targets of a manifest' },
    { command: 'davit-lock manifest.xml | davit-activate | davit-unlock', describe: 'unlock at the end of a pipe' },
    { command: 'davit-unlock --id 5d7c… manifest.xml', describe: 'release a lock that somebody left behind' },
  ],
  operands: { manifest: 'manifest whose targets are locked' },
  options: {
    ...profileOptions,
    ...activityOptions,
    id: {
      type: 'string',
      value: 'TOKEN',
      describe: 'release the lock with this token, whoever holds it; the tool that was refused prints the token',
    },
  },
  exitStatus: {
    1: 'the deployment was not locked, or a service could not be unlocked or did not answer in time; the lock is free',
    75: 'davit-lock holds the lock while a command runs',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-lock(1)'],
  interrupted: {
    once: 'nothing was unlocked; the same command does it',
    twice: 'the same command unlocks what is still locked',
  },
  async run(context) {
    const { args, print, readInput, report } = context
    const { profile, place } = deploymentOf(context)
    const { text, file } = await readInput(args.manifest)
    const { id: token, activityTimeout: timeoutSeconds } = args
    if (token !== undefined) {
      const { infrastructure } = parseDocument(Manifest, text, { file })
      context.journal({ profile, manifest: text }, 'release')
      await withTargets(infrastructure, { ...context, role: 'deploy' }, (reached) =>
        freeLock(reached, { profile, token, place, timeoutSeconds, report }),
      )
      return print(text)
    }
    const isEmpty = text.trim() === ''
    if (!isEmpty) parseDocument(Manifest, text, { file })
    context.journal({ profile, manifest: isEmpty ? undefined : text }, 'release')
    const record = await readLockRecord(place)
    if (isEmpty && record?.processGroup !== processIdentity().processGroup) throw emptyInput('it locked nothing')
    refuseToUnlock(record, profile)
    await withTargets(infrastructureOf(record), { ...context, role: 'deploy' }, async (reached) => {
      const { locked, check } = lockedTargets(reached, record)
      await endDeployment(locked, { profile, token: record.token, place, timeoutSeconds })
      check()
    })
    if (isEmpty) throw emptyInput('the deployment is unlocked')
    return print(text)
  },
})

function infrastructureOf(record: LockRecord): Infrastructure {
  return parseDocument(Manifest, record.manifest, { file: 'the manifest that was locked' }).infrastructure
}

/** Refuses what is not locked, and what is locked elsewhere while a command runs, which would end in the middle. */
function refuseToUnlock(record: LockRecord | undefined, profile: ProfileName): asserts record is LockRecord {
  if (record === undefined) throw notLocked(profile)
  const { duringCommand, owner, token } = record
  if (duringCommand !== true || isDead(owner, processIdentity()) || comesFrom(owner.holder) !== false) return
  const who = describeOwner(encodeOwner(owner))
  throw new DavitError('locked', `profile '${profile}' is locked by ${who} while a command runs`, {
    exitStatus: ExitStatus.locked,
    hint: `it is unlocked when the command has ended; 'davit-unlock -p ${profile} --id ${token} MANIFEST' releases it, and ends the command`,
  })
}

function notLocked(profile: ProfileName): DavitError {
  return new DavitError('not-locked', `profile '${profile}' is not locked by a davit-lock of this user`, {
    hint: "run 'davit-lock MANIFEST' to lock it",
  })
}

function emptyInput(outcome: string): DavitError {
  return new DavitError('empty-document', `an earlier step of the pipe failed; ${outcome}`, {
    exitStatus: ExitStatus.noInput,
    hint: 'see its message above',
  })
}
