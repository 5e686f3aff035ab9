import { currentGeneration, type DeploymentPlace, readMadeFrom } from '@davit/coordinator-state'
import { CompiledStack, encodeDocument, type MadeFrom, type Manifest, parseDocument } from '@davit/documents'
import { stackOfPart } from '@davit/selection'
import { hashOfManifest, selectionFor } from '@davit/tool'

interface Recording {
  readonly place: DeploymentPlace
  readonly manifest: Manifest
  /** Text of the manifest. */
  readonly text: string
  /** What the steps before know. */
  readonly known: MadeFrom
}

type Context = Parameters<typeof selectionFor>[1]

/** What the generation of a manifest is made from. */
export async function madeFromFor(context: Context, { place, manifest, text, known }: Recording): Promise<MadeFrom> {
  const madeFrom = withoutOther(known, text)
  const { stack } = madeFrom
  const selection = await selectionFor(manifest, context)
  const before = selection === undefined ? undefined : await stackBefore(place)
  if (stack === undefined || selection === undefined || before === undefined) return madeFrom
  const whole = parseDocument(CompiledStack, stack, { file: 'the compiled stack' })
  const part = stackOfPart(whole, { before, manifest, selection })
  return { ...madeFrom, stack: encodeDocument(CompiledStack, part, 'json') }
}

/** Leaves out the transition of another manifest, since whoever calls the tools may use a file twice. */
function withoutOther({ transition, ...rest }: MadeFrom, text: string): MadeFrom {
  return transition?.manifest === hashOfManifest(text) ? { ...rest, transition } : rest
}

/** The stack of the current generation; one that cannot be read concerns others. */
async function stackBefore(place: DeploymentPlace): Promise<CompiledStack | undefined> {
  try {
    const current = await currentGeneration(place)
    const madeFrom = current && (await readMadeFrom(place, current.number))
    return madeFrom?.stack === undefined
      ? undefined
      : parseDocument(CompiledStack, madeFrom.stack, { file: 'the compiled stack' })
  } catch {
    return undefined
  }
}
