import { encodeDocument, Infrastructure, type System } from '@davit/documents'
import { type ArchitectureModel, normalizeModel } from '@davit/normalization'
import type { ToolContext } from '@davit/tool'

interface Terms extends Pick<ToolContext<Arguments>, 'args' | 'print' | 'report'> {
  readonly system: System
}

interface Arguments {
  readonly interface: string
  readonly targetProperty: string
}

/** Prints the infrastructure of a model, with every default filled in. */
export async function printInfrastructure(model: ArchitectureModel, terms: Terms): Promise<void> {
  const { args, print, report, system } = terms
  const { interface: clientInterface, targetProperty } = args
  const options = { clientInterface, targetProperty, system, deployState: false, store: ANY_STORE }
  const { architecture, warnings } = normalizeModel(model, options)
  for (const diagnostic of warnings) report({ kind: 'diagnostic', diagnostic })
  await print(encodeDocument(Infrastructure, architecture.infrastructure, 'json'))
}

/** Nothing is installed. */
const ANY_STORE = { kind: 'native', directory: '/none' } as const
