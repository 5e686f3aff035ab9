import { DavitError } from '@davit/diagnostics'
import {
  findTargetSource,
  type LoadInfrastructure,
  type SourceArguments,
  type TargetSource,
  type ToolContext,
} from '@davit/tool'

export type DoctorSource = TargetSource

/** The targets to look at; none if nothing was deployed, or the state of this machine cannot tell, which is a finding of its own. */
export async function sourceOf(context: ToolContext<SourceArguments>, load: LoadInfrastructure): Promise<DoctorSource> {
  const nothing = { infrastructure: new Map(), expected: undefined }
  const isGiven = context.args.source !== undefined
  const found = await findTargetSource(context, load).catch((error: unknown) => {
    if (isGiven || !(error instanceof DavitError)) throw error
  })
  return found ?? nothing
}
