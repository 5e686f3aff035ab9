import { isWanted } from '@davit/coordinator-state'
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
import { Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { comesFrom, processIdentity } from '@davit/process'
import { coresOf } from '@davit/transition'
import { defineTool, deploymentOf, withTargets } from '@davit/tool'
import { description } from './unlock-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readInput, report } = context
    const { profile, place } = deploymentOf(context)
    const { text, file } = await readInput(args.manifest)
    const { id: token, activityTimeout: timeoutSeconds } = args
    if (token !== undefined) {
      const manifest = parseDocument(Manifest, text, { file })
      const { infrastructure } = manifest
      context.journal({ profile, manifest: text }, 'release')
      await withTargets(infrastructure, { ...context, role: 'deploy', manifests: [manifest] }, (reached) =>
        freeLock(reached, { profile, token, place, timeoutSeconds, report, coresOf: coresOf(infrastructure) }),
      )
      return print(text)
    }
    const isEmpty = text.trim() === ''
    if (!isEmpty) parseDocument(Manifest, text, { file })
    context.journal({ profile, manifest: isEmpty ? undefined : text }, 'release')
    const record = await readLockRecord(place)
    if (isEmpty && record?.processGroup !== processIdentity().processGroup) throw emptyInput('it locked nothing')
    refuseToUnlock(record, profile)
    const manifest = lockedManifest(record)
    const { infrastructure } = manifest
    await withTargets(infrastructure, { ...context, role: 'deploy', manifests: [manifest] }, async (reached) => {
      const { locked, check } = lockedTargets(reached, record)
      const terms = { profile, token: record.token, timeoutSeconds, coresOf: coresOf(infrastructure) }
      await endDeployment(locked, { ...terms, place, isUnfinished: (run) => isWanted(place, run) })
      check()
    })
    if (isEmpty) throw emptyInput('the deployment is unlocked')
    return print(text)
  },
})

function lockedManifest(record: LockRecord): Manifest {
  return parseDocument(Manifest, record.manifest, { file: 'the manifest that was locked' })
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
