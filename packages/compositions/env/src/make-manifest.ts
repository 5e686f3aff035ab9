import {
  type Architecture,
  CompiledStack,
  encodeDocument,
  type MadeFrom,
  Manifest,
  parseDocument,
} from '@davit/documents'
import {
  deploymentOf,
  optionsFor,
  refuseStrangePrograms,
  type Run,
  type Steps,
  type ToolContext,
  type Trust,
  withVariables,
} from '@davit/tool'

import { MACHINES } from './check-stack.ts'
import type { ModelOrder } from './model-options.ts'
import type { PrivateDirectories } from './private-directories.ts'
import type { StackOrder } from './stack-options.ts'
import { toCompileStack, toDelegateBuild, toKnowGenerations, toMakeManifest, toNormalize } from './tools.ts'

/** What a manifest is made of, and how. */
export interface MakingOrder extends ModelOrder, StackOrder {
  readonly profile: string
  readonly buildOnTargets: boolean
}

export interface MakingTerms {
  readonly steps: Steps
  readonly directories: PrivateDirectories
  readonly readInput: ToolContext<unknown>['readInput']
  /** What the models may start on this machine. */
  readonly trust: Trust
}

/** A manifest as it stands in documents. */
export interface GivenManifest {
  readonly value: Manifest
  readonly text: string
}

export interface MadeManifest extends GivenManifest {
  /** What is known about its models, for the generation. */
  readonly madeFrom: MadeFrom
}

/** Makes the manifest of the models, the stack or the deployment model of an order, and builds its packages. */
export async function makeManifest(order: MakingOrder, terms: MakingTerms): Promise<MadeManifest> {
  const { steps, trust } = terms
  const { deployment } = order
  const { description, manifestOfArchitecture, manifestOfDeployment } = await toMakeManifest()
  if (deployment !== undefined) {
    const made = await steps.as(description, (run) =>
      manifestOfDeployment(deployment, optionsFor(description, order, run), run),
    )
    return { ...asRead(made), madeFrom: {} }
  }
  const { architecture, madeFrom } = await makeArchitecture(order, terms)
  if (order.buildOnTargets) {
    refuseStrangePrograms(architecture.infrastructure, trust)
    await buildOnTargets(architecture, order, steps)
  }
  const made = await steps.as(description, (run) =>
    manifestOfArchitecture(architecture, optionsFor(description, order, run), run),
  )
  return { ...asRead(made), madeFrom }
}

/** A manifest that was made here, as everybody else reads it. */
function asRead(manifest: Manifest): GivenManifest {
  const text = encodeDocument(Manifest, manifest, 'json')
  return { value: parseDocument(Manifest, text, { file: 'the models' }), text }
}

async function buildOnTargets(architecture: Architecture, order: MakingOrder, steps: Steps): Promise<void> {
  const { delegateBuild, description } = await toDelegateBuild()
  await steps.as(description, (run) => delegateBuild(architecture, optionsFor(description, order, run), run))
}

interface MadeArchitecture {
  readonly architecture: Architecture
  readonly madeFrom: MadeFrom
}

async function makeArchitecture(
  order: MakingOrder,
  { steps, directories, readInput }: MakingTerms,
): Promise<MadeArchitecture> {
  // If the run is killed, what evaluation leaves in its directory is swept later.
  return directories.use(async (TMPDIR) => {
    const compiled = order.stack === undefined ? undefined : await compile(order.stack, order, { steps, TMPDIR })
    const { description, evaluateModels, normalize } = await toNormalize()
    return steps.as(description, async (given) => {
      const run = withVariables(given, { TMPDIR })
      const source = compiled === undefined ? {} : { architecture: '-', infrastructure: undefined }
      const options = optionsFor(description, { ...order, ...source }, run)
      const readStandardInput = async () => compiled ?? (await readInput('-'))
      const models = await evaluateModels({ ...options, readStandardInput, keepsFiles: true }, run)
      const architecture = await normalize(models, options, run)
      return { architecture, madeFrom: { ...compiled?.madeFrom, models: models.modelFiles() } }
    })
  })
}

interface CompilingTerms {
  readonly steps: Steps
  readonly TMPDIR: string
}

/** Compiles a stack to an architecture model, in which what is deployed stays where it is. */
async function compile(stack: string, order: MakingOrder, { steps, TMPDIR }: CompilingTerms) {
  const deployed = await deployedBefore(order, steps)
  const { compile: compileStack, description } = await toCompileStack()
  return steps.as(description, async (given) => {
    const run = withVariables(given, { TMPDIR })
    const { target = MACHINES, arguments: words } = order
    const options = optionsFor(description, { ...order, target }, run)
    const previous = async () => deployed
    const { text, stack: encode } = await compileStack({ ...options, stack, arguments: words, previous }, run)
    return { text, file: '<stdin>', madeFrom: { stack: encode() } }
  })
}

/** What is deployed, and the stack that it was made from. */
async function deployedBefore({ profile }: MakingOrder, steps: Steps) {
  const { currentGeneration, description, madeFromOrWarning } = await toKnowGenerations()
  return steps.as(description, async (run: Run) => {
    const { place } = deploymentOf({ ...run, args: { profile } })
    const current = await currentGeneration(place)
    const madeFrom = current && (await madeFromOrWarning(place, current.number, run.report))
    const stack =
      madeFrom?.stack && parseDocument(CompiledStack, madeFrom.stack, { file: 'the stack that is deployed' })
    return { deployed: current?.manifest, stack: stack || undefined }
  })
}
