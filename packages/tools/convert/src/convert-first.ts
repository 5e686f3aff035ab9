import type { Report } from '@davit/diagnostics'
import {
  FirstManifest,
  type Format,
  locateDocument,
  Manifest,
  parseWholeDocument,
  validateDocument,
} from '@davit/documents'
import { invalidDocument } from '@davit/languages'
import { loadInfrastructure } from '@davit/models'
import { currentSystem } from '@davit/store'
import { type Input, type ToolContext, usageError } from '@davit/tool'
import type { Content } from './content.ts'
import { deploymentOfFirst } from './deployment-of-first.ts'
import { KINDS } from './kinds.ts'
import { say } from './messages.ts'

interface FirstArguments {
  readonly infrastructure: string | undefined
  readonly interface: string
  readonly targetProperty: string
}

/** Converts a manifest of version 1 to a complete one of version 2, and warns of what version 1 does not tell. */
export async function convertFirst({ text, file }: Input, context: ToolContext<FirstArguments>): Promise<Content> {
  const { args, environment, signal, report } = context
  const { infrastructure: infrastructureFile, interface: clientInterface, targetProperty } = args
  if (infrastructureFile === undefined) {
    throw usageError(
      `'${file}' is a manifest of version 1, which names targets by their addresses only`,
      'pass the infrastructure model with -i',
    )
  }
  const { value: first, ignored } = parseWholeDocument(FirstManifest, text, { file })
  const infrastructure = await loadInfrastructure(infrastructureFile, {
    system: currentSystem(environment),
    environment,
    signal,
    report,
    clientInterface,
    targetProperty,
  })
  const { deployment, problems } = deploymentOfFirst(first, { infrastructure, infrastructureFile })
  if (problems.length > 0) {
    const placeOf = locateDocument(FirstManifest, text, { file })
    const placed = problems.map((problem) => ({ ...problem, place: placeOf(problem.path ?? []) ?? { file } }))
    throw invalidDocument(`cannot convert '${file}' to version 2`, placed)
  }
  const manifest = validateDocument(Manifest, deployment, { file })
  warn(first, report)
  const sections = ignored.filter(({ path = [] }) => path.length === 1 && path[0] === 'targets')
  if (sections.length > 0) report(say('old-section', { section: 'targets' }))
  const kind = { ...KINDS.manifest, format: Manifest as Format<unknown> }
  return { kind, value: manifest, leftOut: ignored.filter((one) => !sections.includes(one)), placeOf: () => undefined }
}

function warn({ activation, distribution }: FirstManifest, report: Report): void {
  if (activation.length > 0) {
    report(say('old-properties'))
    report(say('old-providers'))
  }
  if (distribution.length > 0) report(say('old-profiles'))
}
