import { type AllSteps, allSteps, type ParsedTemplate, type TemplateValue } from '@davit/go-template'
import type { Placing, Written } from '@davit/languages'
import { finding, placeOf, type StackFinding } from './finding.ts'
import type { Body } from './mufile/body.ts'
import type { ReportAt } from './mufile/shapes.ts'
import type { StackRoots } from './references/places.ts'
import type { FullReference } from './references/reference.ts'
import type { Effective } from './resolution/effective.ts'
import type { FindResult } from './resolution/find-stack.ts'
import type { FoundStack, ReadableFile } from './resolution/stack-file.ts'
import { noPatterns, type Patterns } from './types/constraints.ts'
import type { StackTarget } from './workspace/choose-target.ts'
import type { Cluster, Workspace } from './workspace/workspace.ts'

export type FileReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Reads files; the compiler touches nothing else. */
export interface StackFiles {
  read(path: string): FileReading
  /** The path with links resolved, which may be refused where it leads out; undefined if there is nothing. */
  realPath(path: string): string | undefined
  /** The first link on the way from a directory, itself included, to a path in it; undefined if there is none. */
  linkWithin(root: string, path: string): string | undefined
  /** Name of a file in messages. */
  shown(path: string): string
}

export interface CompileOptions {
  readonly files: StackFiles
  readonly roots: StackRoots
  readonly workspace: Workspace
  readonly cluster: Cluster | undefined
  readonly target: StackTarget
  /** Arguments of the root, by their names; templates see them as text. */
  readonly arguments: ReadonlyMap<string, string>
  readonly skipsCode: boolean
}

/** A reference that leads nowhere. */
export interface MissingStack {
  readonly reference: FullReference
  /** The stack of which it may be a public schema instead. */
  readonly owner?: FullReference | undefined
}

/** The first of several specs for a stack, and whether it was reported that there is another one. */
export interface FirstSpec {
  readonly spec: string
  isTold: boolean
}

/** What is known while a stack is compiled. */
export interface Compilation {
  readonly options: CompileOptions
  readonly findings: StackFinding[]
  readonly report: ReportAt
  /** What nothing, or no fitting version, was found for, by canonical references. */
  readonly missing: Map<string, MissingStack>
  readonly files: Map<string, ReadableFile>
  readonly found: Map<string, FindResult>
  /** Files of base and name, and names that were reported as leading to several. */
  readonly pathsOfNames: Map<string, string>
  /** Specs that files have for stacks, by the places of each file as it was expanded. */
  readonly specs: Map<Placing, Map<string, FirstSpec>>
  readonly effectives: Map<Body, Map<Effective | undefined, Map<Effective | undefined, Effective>>>
  readonly context: ReadonlyMap<string, TemplateValue>
  readonly noArguments: ReadonlyMap<string, Written>
  readonly patterns: Patterns
  readonly templateSteps: AllSteps
  /** Templates that others include, by their paths. */
  readonly included: Map<string, ParsedTemplate>
  /** Reads a stack whose schemas are used, without arguments. */
  readonly libraryOf: LibraryOf
}

export type LibraryOf = (c: Compilation, found: FoundStack) => Effective | undefined

export function openCompilation(options: CompileOptions, libraryOf: LibraryOf): Compilation {
  const findings: StackFinding[] = []
  const report: ReportAt = (code, subjects, { spot, hint, message }) => {
    findings.push(finding(code, subjects, { place: placeOf(spot), hint, message }))
  }
  return {
    options,
    findings,
    report,
    missing: new Map(),
    files: new Map(),
    found: new Map(),
    pathsOfNames: new Map(),
    specs: new Map(),
    effectives: new Map(),
    context: contextOf(options),
    noArguments: new Map(),
    patterns: noPatterns(),
    templateSteps: allSteps(),
    included: new Map(),
    libraryOf,
  }
}

export function countErrors({ findings }: Compilation): number {
  return findings.reduce((count, { severity }) => count + (severity === 'error' ? 1 : 0), 0)
}

function contextOf(options: CompileOptions): ReadonlyMap<string, TemplateValue> {
  const { cluster, target, skipsCode, arguments: given } = options
  return new Map<string, TemplateValue>([
    ['Arch', table({ Cloud: target.cloud ?? '', Scheduler: target.scheduler ?? '' })],
    ['Cluster', table(cluster === undefined ? ANONYMOUS : membersOf(cluster, target))],
    ['Options', table({ SkipCodegen: skipsCode, Cluster: cluster?.name ?? '', Args: given })],
  ])
}

/** What templates see without a cluster. */
const ANONYMOUS = {
  Name: 'anonymous',
  Description: '',
  Cloud: '',
  Scheduler: '',
  Default: false,
  Settings: new Map<string, TemplateValue>(),
}

function membersOf(cluster: Cluster, { cloud = '', scheduler = '' }: StackTarget): typeof ANONYMOUS {
  const { name, description = '', isDefault, settings } = cluster
  const own = { Name: name, Description: description, Default: isDefault, Settings: new Map(settings) }
  return { ...own, Cloud: cloud, Scheduler: scheduler }
}

function table(members: Readonly<Record<string, TemplateValue>>): ReadonlyMap<string, TemplateValue> {
  return new Map(Object.entries(members))
}
