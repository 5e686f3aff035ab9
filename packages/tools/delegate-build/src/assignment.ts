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

/** What is to be built, from an architecture or a build model. */
export interface Assignment {
  readonly store: StoreReference
  readonly infrastructure: Infrastructure
  readonly buildModel: BuildModel
  orderWith(store: Store): Promise<DelegationOrder>
  /** Document for the next tool: as read, unless it was a program. */
  readonly text: string
}

interface AssignmentArguments {
  readonly architecture: string | undefined
  /** Build model, instead of an architecture. */
  readonly build: string | undefined
  /** Format of a build model that was not read from a document. */
  readonly format: 'xml' | 'json'
}

type ReadingContext = Pick<ToolContext<unknown>, 'readDocument' | 'readInput' | 'environment' | 'report' | 'signal'>

export async function assignmentFrom(args: AssignmentArguments, context: ReadingContext): Promise<Assignment> {
  if (args.build !== undefined) return fromBuildModel(args.build, args, context)
  const { value, text } = await context.readDocument(Architecture, args.architecture)
  return { ...assignmentOf(value), text }
}

/** What an architecture has built. */
export function assignmentOf(architecture: Architecture): Omit<Assignment, 'text'> {
  const { store, infrastructure } = architecture
  const orderWith = async () => orderOfArchitecture(architecture)
  return { store, infrastructure, buildModel: buildModelOf(architecture), orderWith }
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

/** Extensions of documents; a file without extension is a document from a pipe. */
const DOCUMENTS: readonly string[] = ['', '.xml', '.json']

/** Reads a build model; if it is not a document, encodes it as one for the next tool. */
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

/** Property for the addresses of a build model. */
const ADDRESS = 'hostname'

/** Makes an infrastructure. Its systems are unknown, and that of this machine has no effect. */
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
