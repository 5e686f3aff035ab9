import { isWanted } from '@davit/coordinator-state'
import {
  describeOwner,
  encodeOwner,
  endDeployment,
  isDead,
  lockedTargets,
  type LockRecord,
  readLockRecord,
} from '@davit/deployment-lock'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { Manifest, parseDocument, type ProfileName } from '@davit/documents'
import { comesFrom, processIdentity } from '@davit/process'
import { selectionOfTerms } from '@davit/selection'
import { coresOf } from '@davit/transition'
import { defineTool, deploymentOf, usageError, withTargets } from '@davit/tool'
import { concernedBy } from './concerned-by.ts'
import type { FreeArguments } from './free.ts'
import { description } from './unlock-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readInput } = context
    const { id: token, activityTimeout: timeoutSeconds } = args
    if (token !== undefined) return (await import('./free.ts')).free(token, context)
    refuseWithoutToken(args)
    const { profile, place } = deploymentOf(context)
    const { text, file } = await readInput(args.manifest)
    const isEmpty = text.trim() === ''
    if (!isEmpty) parseDocument(Manifest, text, { file })
    context.journal({ profile, manifest: isEmpty ? undefined : text }, 'release')
    const record = await readLockRecord(place)
    if (isEmpty && record?.processGroup !== processIdentity().processGroup) throw emptyInput('it locked nothing')
    refuseToUnlock(record, profile)
    const manifest = lockedManifest(record)
    const { infrastructure } = manifest
    const locked = new Map([...infrastructure].filter(([name]) => record.targets.includes(name)))
    await withTargets(
      locked,
      { ...context, role: 'deploy', manifests: [manifest], trust: 'everything' },
      async (reached) => {
        const { locked: reachable, check } = lockedTargets(reached, record)
        const isConcerned = concernedBy(record.on === undefined ? undefined : selectionOfTerms(record.on))
        const terms = { profile, token: record.token, timeoutSeconds, coresOf: coresOf(infrastructure), isConcerned }
        await endDeployment(reachable, { ...terms, place, isUnfinished: (run) => isWanted(place, run) })
        check()
      },
    )
    if (isEmpty) throw emptyInput('the deployment is unlocked')
    return print(text)
  },
})

/** Refuses options that say where anybody's lock is: what is unlocked without --id is on record. */
function refuseWithoutToken({ infrastructure, deployed }: Pick<FreeArguments, 'infrastructure' | 'deployed'>): void {
  if (infrastructure === undefined && !deployed) return
  const option = deployed ? '--deployed' : '--infrastructure'
  throw usageError(`option '${option}' belongs to '--id'`, 'pass the manifest that was locked')
}

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
    hint: `it is unlocked when the command has ended; 'davit-unlock -p ${profile} --id ${token} -i INFRASTRUCTURE' releases it, and ends the command`,
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
