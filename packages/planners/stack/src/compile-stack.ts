import { type Compilation, type CompileOptions, type MissingStack, openCompilation } from './compilation.ts'
import { finding, type StackFinding } from './finding.ts'
import { checkGraph, orderOf } from './instances/graph.ts'
import type { Instance } from './instances/instance.ts'
import { instantiate } from './instances/instantiate.ts'
import { bagOfArguments, convertArguments } from './instances/root-arguments.ts'
import { validate } from './instances/validate.ts'
import type { Body } from './mufile/body.ts'
import { effectiveOf, libraryOf } from './resolution/effective-of.ts'
import { stackFile } from './resolution/find-stack.ts'
import { readStack } from './resolution/read-stack.ts'
import type { FoundStack, StackFile } from './resolution/stack-file.ts'

/** A stack that was compiled: the tree of its instances, which back ends walk. */
export interface CompiledStack {
  readonly root: Instance
  /** All instances but the root, by their fully qualified names, in the order of the tree. */
  readonly instances: ReadonlyMap<string, Instance>
  /** Those without a body, which back ends implement; whatever others wait for comes first. */
  readonly leaves: readonly Instance[]
  /** Files that were found, by their canonical references. */
  readonly references: ReadonlyMap<string, FoundStack>
  /** The file of the root. */
  readonly file: StackFile
  readonly options: CompileOptions
}

export type CompileOutcome =
  | { readonly kind: 'compiled'; readonly stack: CompiledStack; readonly findings: readonly StackFinding[] }
  | {
      readonly kind: 'refused'
      readonly findings: readonly StackFinding[]
      /** References for which nothing was found, or no version that fits. */
      readonly missing: readonly MissingStack[]
    }

/** Compiles the stack file of a path to a tree of instances, or to all that is wrong with it. Touches nothing but what `files` reads. */
export function compileStack(path: string, options: CompileOptions): CompileOutcome {
  const c = openCompilation(options, libraryOf)
  const file = openRoot(c, path)
  const root = file && makeRoot(c, file)
  const hasErrors = () => c.findings.some(({ severity }) => severity === 'error')
  if (file === undefined || root === undefined || hasErrors()) return refused(c)
  validate(c, root)
  if (hasErrors()) return refused(c)
  const instances = descendantsOf(root)
  checkGraph(c, instances)
  if (hasErrors()) return refused(c)
  const stack: CompiledStack = {
    root,
    instances: new Map(instances.map((instance) => [instance.fqn, instance])),
    leaves: orderOf(instances).filter(({ body }) => body.isIntrinsic),
    references: new Map(
      [...c.found].flatMap(([key, result]) => (result.kind === 'found' ? [[key, result.stack]] : [])),
    ),
    file,
    options,
  }
  return { kind: 'compiled', stack, findings: c.findings }
}

/** Returns the name of the stack in a file; undefined if it has none, or cannot be read. */
export function nameOfStack(path: string, options: CompileOptions): string | undefined {
  const c = openCompilation(options, libraryOf)
  const file = openRoot(c, path)
  return file && readStack(c, file, { bag: bagOfArguments(options.arguments), isRoot: true })?.name?.text
}

/** Returns the names of the properties of the stack in a file, those of its bases included; none if it cannot be read. */
export function propertyNames(path: string, options: CompileOptions): readonly string[] {
  const c = openCompilation(options, libraryOf)
  const file = openRoot(c, path)
  const bag = bagOfArguments(options.arguments)
  const body = file && readStack(c, file, { bag })
  const effective = body && effectiveOf(c, body, { bag, outer: undefined })
  return [...(effective?.properties.keys() ?? [])]
}

function refused({ findings, missing }: Compilation): CompileOutcome {
  return { kind: 'refused', findings, missing: [...missing.values()] }
}

function openRoot(c: Compilation, path: string) {
  const { files, roots } = c.options
  const reading = files.read(path)
  if (reading.kind === 'text') {
    const file = stackFile(c, { path, text: reading.text, boundary: roots.workspace, commit: undefined })
    c.files.set(path, file)
    return file
  }
  const hint = reading.kind === 'unreadable' ? reading.reason : 'there is no such file'
  c.findings.push(finding('MU150', [path], { place: { file: files.shown(path) }, hint }))
  return undefined
}

function makeRoot(c: Compilation, file: NonNullable<ReturnType<typeof openRoot>>): Instance | undefined {
  const args = bagOfArguments(c.options.arguments)
  const body = readStack(c, file, { bag: args, isRoot: true })
  if (body === undefined) return undefined
  const root = rootOf(body, args)
  instantiate(c, root, new Set())
  if (root.effective === undefined) return undefined
  root.args = convertArguments(c, root.effective, args)
  return root
}

function rootOf(body: Body, args: Instance['args']): Instance {
  const name = body.name?.text ?? ''
  return {
    name,
    fqn: name,
    parent: undefined,
    depth: 1,
    isPublic: true,
    body,
    outer: undefined,
    found: undefined,
    args,
    spot: body.name?.spot ?? body.spot,
    children: new Map(),
    effective: undefined,
    properties: new Map(),
    dependsOn: [],
  }
}

function descendantsOf(instance: Instance): readonly Instance[] {
  const found: Instance[] = []
  const visit = ({ children }: Instance) => {
    for (const child of children.values()) {
      found.push(child)
      visit(child)
    }
  }
  visit(instance)
  return found
}
