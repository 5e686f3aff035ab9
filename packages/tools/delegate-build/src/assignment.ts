import { extname } from 'node:path'
import { buildModelOf, type DelegationOrder, orderOfArchitecture, orderOfBuildModel } from '@davit/delegation'
import {
  Architecture,
  BuildModel,
  encodeDocument,
  type Infrastructure,
  storeOf,
  type StoreReference,
  type System,
  type Target,
  type TargetName,
} from '@davit/documents'
import { loadBuildModel, parseBuildModel } from '@davit/models'
import { currentSystem, type Store } from '@davit/store'
import type { ToolContext } from '@davit/tool'

/** What is to be built, whatever document says it. */
export interface Assignment {
  readonly store: StoreReference
  readonly infrastructure: Infrastructure
  readonly buildModel: BuildModel
  orderWith(store: Store): Promise<DelegationOrder>
  /** The document, for the next tool: as it was read, if it was one. */
  readonly text: string
}

interface AssignmentArguments {
  readonly architecture: string | undefined
  /** A build model in place of an architecture. */
  readonly build: string | undefined
  /** How a build model is written that was no document. */
  readonly format: 'xml' | 'json'
}

type ReadingContext = Pick<ToolContext<unknown>, 'readDocument' | 'readInput' | 'environment' | 'report' | 'signal'>

export async function assignmentFrom(args: AssignmentArguments, context: ReadingContext): Promise<Assignment> {
  if (args.build !== undefined) return fromBuildModel(args.build, args, context)
  const { value, text } = await context.readDocument(Architecture, args.architecture)
  return {
    store: value.store,
    infrastructure: value.infrastructure,
    buildModel: buildModelOf(value),
    orderWith: async () => orderOfArchitecture(value),
    text,
  }
}

async function fromBuildModel(
  file: string,
  { format }: AssignmentArguments,
  context: ReadingContext,
): Promise<Assignment> {
  const { value: buildModel, text } = await readBuildModel(file, format, context)
  const derivations = buildModel.derivationMappings.map(({ derivation }) => derivation)
  return {
    store: storeOf(derivations[0]),
    infrastructure: infrastructureOf(buildModel, currentSystem(context.environment)),
    buildModel,
    orderWith: async (store) => orderOfBuildModel(buildModel, await store.outputs(derivations)),
    text,
  }
}

/** Without extension it is a document from a pipe. */
const DOCUMENTS: readonly string[] = ['', '.xml', '.json']

/** What was no document has no text that the next tool could read: it is given one. */
async function readBuildModel(
  file: string,
  format: 'xml' | 'json',
  context: ReadingContext,
): Promise<{ readonly value: BuildModel; readonly text: string }> {
  if (DOCUMENTS.includes(extname(file))) {
    const input = await context.readInput(file)
    return { value: parseBuildModel(input.text, input), text: input.text }
  }
  const value = await loadBuildModel(file, context)
  return { value, text: encodeDocument(BuildModel, value, format) }
}

/** Property under which a build model's addresses go. */
const ADDRESS = 'hostname'

/** Nobody says the systems: nothing goes by that of this machine. */
function infrastructureOf({ interfaces }: BuildModel, system: System): Infrastructure {
  return new Map(
    [...interfaces].map(([name, { targetAddress, clientInterface }]): [TargetName, Target] => [
      name,
      {
        properties: new Map([[ADDRESS, targetAddress]]),
        containers: new Map(),
        system,
        numOfCores: 1,
        clientInterface,
        targetProperty: ADDRESS,
      },
    ]),
  )
}
