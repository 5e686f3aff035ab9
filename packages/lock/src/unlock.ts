import { deploymentPlace } from '@davit/coordinator-state'
import { endDeployment, readLockRecord } from '@davit/deployment-lock'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { Manifest, parseDocument, parseProfileName, type ProfileName } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { allTargets } from '@davit/target'
import {
  connectionEnvironment,
  defineTool,
  profileOptions,
  stateDirectory,
  stateEnvironment,
  withTargets,
} from '@davit/tool'

export const tool = defineTool({
  name: 'davit-unlock',
  summary: 'Unlock a deployment that davit-lock has locked',
  description: [
    'Goes by what davit-lock has left in the state of the coordinator, and unlocks what that has locked. On empty input, because an earlier step of the pipe failed, it unlocks what davit-lock has locked in the same pipe, and fails nevertheless.',
  ],
  examples: [
    { command: 'davit-unlock manifest.xml', describe: 'unlock the targets of a manifest' },
    { command: 'davit-lock manifest.xml | davit-activate | davit-unlock', describe: 'at the end of a pipe' },
  ],
  operands: { manifest: 'manifest whose targets are locked' },
  options: { ...profileOptions },
  exitStatus: { 1: 'the deployment is not locked' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-lock(1)'],
  async run(context) {
    const { args, print, readInput } = context
    const profile = parseProfileName(args.profile)
    const { text, file } = await readInput(args.manifest)
    const isEmpty = text.trim() === ''
    if (!isEmpty) parseDocument(Manifest, text, { file })
    const place = deploymentPlace(stateDirectory(context), profile)
    const record = await readLockRecord(place)
    if (record === undefined || (isEmpty && record.processGroup !== processIdentity().processGroup))
      throw notLocked(profile)
    const { infrastructure } = parseDocument(Manifest, record.manifest, { file: 'the manifest that was locked' })
    await withTargets(infrastructure, context, async (reached) => {
      await endDeployment([...reached.targets.values()], { profile, token: record.token, place })
      allTargets(reached)
    })
    if (isEmpty) throw emptyInput()
    await print(text)
  },
})

function notLocked(profile: ProfileName): DavitError {
  return new DavitError('not-locked', `profile '${profile}' is not locked by davit-lock of this user`, {
    hint: 'davit-lock MANIFEST locks it',
  })
}

function emptyInput(): DavitError {
  return new DavitError('empty-document', 'an earlier step of the pipe failed: the deployment is unlocked', {
    exitStatus: ExitStatus.noInput,
    hint: 'look for its message above',
  })
}
