import { CompiledStack as CompiledDocument, encodeDocument } from '@davit/documents'
import { type CompiledStack, compiledDocument, type Emission, finding, stackRefusal } from '@davit/stack'
import { emitCloudFormation } from '@davit/stack-cloudformation'
import type { StepContext } from '@davit/tool'
import type { MachineArguments } from './make-architecture.ts'

/** Makes what is printed of a compiled stack: what its target understands. */
export type BackEnd = (stack: CompiledStack, context: StepContext<MachineArguments>) => Emission | Promise<Emission>

/** Back ends by the clouds that they make code for. */
const BACK_ENDS: ReadonlyMap<string, BackEnd> = new Map<string, BackEnd>([
  ['aws', emitCloudFormation],
  // It reads models of infrastructure, whose languages take a while to load.
  ['machines', async (...given) => (await import('./make-architecture.ts')).makeArchitecture(...given)],
])

/** Returns the back end of a cloud; without code, the compiled stack itself is printed. Throws if there is none. */
export function backEndOf(cloud: string | undefined, skipsCode: boolean): BackEnd {
  const backEnd = skipsCode ? emitCompiledStack : BACK_ENDS.get(cloud ?? '')
  if (backEnd === undefined) throw stackRefusal([finding('MU603', [cloud])])
  return backEnd
}

/** Encodes a compiled stack as a document. */
export function encodeCompiled(stack: CompiledStack): string {
  return encodeDocument(CompiledDocument, compiledDocument(stack), 'json')
}

function emitCompiledStack(stack: CompiledStack): Emission {
  return { kind: 'emitted', text: encodeCompiled(stack), findings: [] }
}
