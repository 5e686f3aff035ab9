import { isSameManifest } from '@davit/coordinator-state'
import { optionsOfTerms, refusePlanOfManifest } from '@davit/deployment'
import { encodeDocument, Manifest, PlanDocument } from '@davit/documents'
import { dashed, type DocumentInput, type ToolContext, usageError } from '@davit/tool'

interface PlanTerms extends ReturnType<typeof optionsOfTerms> {
  readonly profile: string
  readonly skipUnreachable: boolean
}

interface Arguments extends PlanTerms {
  readonly abandon: readonly string[]
  readonly oldManifest: string | undefined
  readonly manifest: string | undefined
  readonly plan: string | undefined
}

/** Reads the plan that is to be carried out; undefined if there is none. */
export async function readPlan({ args, readDocument }: ToolContext<Arguments>): Promise<PlanDocument | undefined> {
  if (args.plan === undefined) return undefined
  const { value } = await readDocument(PlanDocument, args.plan)
  refusePlanOfManifest(value, args.plan)
  return value
}

/** Adds to options those that a plan was made with; refuses others. */
export function asPlanned<Given extends PlanTerms>(args: Given, plan: PlanDocument | undefined): Given {
  if (plan === undefined) return args
  const planned = { ...optionsOfTerms(plan.terms), profile: plan.profile }
  for (const [name, value] of Object.entries(planned)) {
    const given = args[name as keyof typeof planned]
    if (given !== USUAL[name as keyof typeof planned] && given !== value)
      throw usageError(`option '--${dashed(name)}' is not that of the plan`, 'omit it, or make the plan anew with it')
  }
  const skipUnreachable = args.skipUnreachable || plan.skipped.length > 0
  return { ...args, ...planned, skipUnreachable }
}

/** What options are if they are not given. */
const USUAL = {
  upgrade: true,
  repair: false,
  restartChanged: false,
  migration: true,
  restore: false,
  takeOver: false,
  besideOriginal: false,
  undeploy: false,
  profile: 'default',
}

/** Reads the manifest to reach; a plan has its own. */
export async function readPlanned(
  { args, readDocument }: ToolContext<Arguments>,
  plan: PlanDocument | undefined,
): Promise<Pick<DocumentInput<Manifest>, 'value' | 'text'>> {
  if (plan !== undefined && args.manifest === undefined)
    return { value: plan.manifest, text: encodeDocument(Manifest, plan.manifest, 'json') }
  const read = await readDocument(Manifest, args.manifest)
  if (plan !== undefined && !isSameManifest(plan.manifest, read.value))
    throw usageError('the manifest is not that of the plan', 'omit it: the plan has its manifest')
  return read
}
