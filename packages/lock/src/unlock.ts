import { deploymentPlace } from '@davit/coordinator-state'
import { type LockRecord, readLockRecord, releaseLocks, removeLockRecord, unlockServices } from '@davit/deployment-lock'
import { DavitError } from '@davit/diagnostics'
import { Manifest, parseDocument, parseProfileName, type ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { allTargets, defineTool, profileOptions, withTargets, stateDirectory } from '@davit/tool'

export const tool = defineTool({
  name: 'davit-unlock',
  summary: 'Unlock a deployment that davit-lock has locked',
  description: [
    'Goes by what davit-lock has left in the state of the coordinator. On empty input, because an earlier step of the pipe failed, it unlocks what davit-lock has locked in the same pipe, and fails nevertheless.',
  ],
  examples: [
    { command: 'davit-unlock manifest.xml', describe: 'unlock the targets of a manifest' },
    { command: 'davit-lock manifest.xml | davit-activate | davit-unlock', describe: 'at the end of a pipe' },
  ],
  operands: { manifest: 'manifest whose targets are locked' },
  options: { ...profileOptions },
  exitStatus: { 1: 'the deployment is not locked' },
  seeAlso: ['davit-lock(1)'],
  async run(context) {
    const { args, print, readInput } = context
    const profile = parseProfileName(args.profile)
    const { text, file } = await readInput(args.manifest)
    const place = deploymentPlace(stateDirectory(context), profile)
    const record = await readLockRecord(place)
    const isEmpty = text.trim() === ''
    if (record === undefined || (isEmpty && record.processGroup !== processIdentity().processGroup))
      throw notLocked(profile)
    const manifest = parseDocument(Manifest, isEmpty ? record.manifest : text, { file })
    await withTargets(manifest.infrastructure, context, async (reached) => {
      const targets = allTargets(reached)
      const terms = { profile, token: record.token }
      await unlockServices(targets, terms)
      await releaseLocks(targets, terms)
    })
    await removeLockRecord(place)
    if (isEmpty) throw emptyInput(record)
    await print(text)
  },
})

function notLocked(profile: ProfileName): DavitError {
  return new DavitError('not-locked', `profile '${profile}' is not locked by davit-lock of this user`, {
    hint: 'davit-lock MANIFEST locks it',
  })
}

function emptyInput(_record: LockRecord): DavitError {
  return new DavitError('empty-document', 'an earlier step of the pipe failed: the deployment is unlocked', {
    hint: 'look for its message above',
  })
}
