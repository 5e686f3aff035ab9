import { resolve } from 'node:path'

import { currentGeneration, type DeploymentPlace, isKnown, readMadeFrom } from '@davit/coordinator-state'
import { DavitError, ExitStatus, quoted } from '@davit/diagnostics'
import { CompiledStack, parseDocument, parseProfileName, type ProfileName } from '@davit/documents'
import { deploymentOf, type ToolContext } from '@davit/tool'

import { MACHINES } from './check-stack.ts'
import { inCluster, say } from './messages.ts'
import { type NamedStack, nameOfProfile } from './name-of-profile.ts'
import type { StackOrder } from './stack-options.ts'

interface Given extends StackOrder {
  readonly profile: string | undefined
  readonly infrastructure: string | undefined
  readonly takeOver: boolean
}

/** Deployment of models, and of stacks before these had deployments of their own. */
export const DEFAULT_PROFILE = 'default' as ProfileName

/**
 * Returns the name of the deployment that an order is about: the one that is given, else that of the stack, else the default one.
 * Throws `not-ours` if another stack, or the same in another cluster, was deployed under it.
 */
export async function profileOfOrder(order: Given, context: ToolContext<unknown>): Promise<string> {
  const { stack: operand } = order
  const named = operand === undefined ? undefined : await nameStack(operand, order, context)
  if (named === undefined) return order.profile ?? DEFAULT_PROFILE
  const profile = order.profile === undefined ? await ownProfile(named, context) : parseProfileName(order.profile)
  if (!order.takeOver) await refuseOther(named, profile, context)
  return profile
}

/** Returns the names of a stack and its cluster; undefined if something is wrong with them, which davit-compile-stack says. */
async function nameStack(
  operand: string,
  { cluster, target = MACHINES, infrastructure, arguments: words }: Given,
  { environment, workingDirectory }: ToolContext<unknown>,
): Promise<NamedStack | undefined> {
  const { chooseTarget, nameOfStack } = await import('@davit/stack')
  const { compileOptions, openStack, stackFiles } = await import('@davit/stack-workspace')
  const files = stackFiles(workingDirectory)
  const opened = openStack(resolve(workingDirectory, operand), files)
  if (opened.path === undefined) return undefined
  const choice = { cluster, target, hasInfrastructure: infrastructure !== undefined, skipsCode: false }
  const chosen = chooseTarget(opened.workspace, choice)
  const options = compileOptions(opened, { files, environment, chosen, words, skipsCode: false })
  const stack = nameOfStack(opened.path, options)
  return stack === undefined ? undefined : { stack, cluster: chosen.cluster?.name ?? '' }
}

/** The deployment of a stack; the default one as long as the stack is deployed there and nowhere else. */
async function ownProfile(named: NamedStack, context: ToolContext<unknown>): Promise<ProfileName> {
  const profile = nameOfProfile(named)
  if (await isKnown(placeOf(profile, context))) return profile
  const before = await deployedAs(DEFAULT_PROFILE, context)
  const isThere = before !== undefined && isSame(before, named)
  context.report(say(isThere ? 'stack-default' : 'stack-profile', { profile, ...named }))
  return isThere ? DEFAULT_PROFILE : profile
}

/** Returns the stack that was deployed last under a name, if services of it are left. */
async function deployedAs(profile: ProfileName, context: ToolContext<unknown>): Promise<NamedStack | undefined> {
  const place = placeOf(profile, context)
  // Whoever needs the generation says what is wrong with it.
  const current = await currentGeneration(place).catch(unlessDamaged)
  if (current === undefined || current.manifest.serviceMappings.length === 0) return undefined
  const text = (await readMadeFrom(place, current.number).catch(unlessDamaged))?.stack
  if (text === undefined) return undefined
  const { name, cluster } = parseDocument(CompiledStack, text, { file: 'the stack that is deployed' })
  return { stack: name, cluster: cluster === undefined || cluster.name === ANONYMOUS ? '' : cluster.name }
}

function placeOf(profile: ProfileName, context: ToolContext<unknown>): DeploymentPlace {
  return deploymentOf({ ...context, args: { profile } }).place
}

/** Name of the cluster in compiled stacks that have none. */
const ANONYMOUS = 'anonymous'

function unlessDamaged(error: unknown): undefined {
  if (error instanceof DavitError) return undefined
  throw error
}

function isSame(left: NamedStack, right: NamedStack): boolean {
  return left.stack === right.stack && left.cluster === right.cluster
}

async function refuseOther(named: NamedStack, profile: ProfileName, context: ToolContext<unknown>): Promise<void> {
  const before = await deployedAs(profile, context)
  if (before === undefined || isSame(before, named)) return
  const deployed = `stack ${quoted(before.stack)}${inCluster(before.cluster)}`
  const message = `'${profile}' is the deployment of ${deployed}, not of stack ${quoted(named.stack)}${inCluster(named.cluster)}`
  const own = nameOfProfile(named)
  const way = own === profile ? '-p NAME' : `-p ${own}`
  throw new DavitError('not-ours', message, {
    exitStatus: ExitStatus.failed,
    hint: `nothing was done; deploy alongside it with ${way}, or replace it with --take-over, which stops what the other has`,
  })
}
