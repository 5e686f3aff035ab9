import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

import type { ServiceKey } from '@davit/documents'
import type { ShellSurroundings } from '@davit/connection/testing'
import type { Shell } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { expect } from 'vitest'

import {
  acquireLock,
  type ActivityRequest,
  type Machine,
  observeMachine,
  performActivity,
  type StepBack,
  type Trial,
  trialState,
} from '../src/target.ts'
import { Scene } from './scene.ts'

/** A module that notes what it is called for, and fails for the services in `$D/broken`. */
const NOTING = `echo "$1 $DAVIT_KEY $port\${password-}" >>"$D/calls"
grep -qs "^$1 $DAVIT_KEY$" "$D/broken" && exit 7
[ "$1 $DAVIT_KEY" != "activate slow" ] || { touch "$D/begun"; hold; }
exit 0`

export interface TrialScene {
  readonly scene: Scene
  readonly trial: Trial
  readonly machine: Machine<'trial'>
}

/** Opens a scene with the lock of its deployment; `tools` is a directory before those in `PATH`. */
export async function openTrial(shell: Shell, tools?: string, surroundings?: ShellSurroundings): Promise<TrialScene> {
  const path = tools === undefined ? shell.path : `${tools}:${shell.path}`
  const scene = await Scene.open({ ...shell, path }, surroundings)
  scene.module(NOTING)
  const answer = await acquireLock(scene.machine, placeIn(scene), { token: 'token', owner: 'me', leaseSeconds: 60 })
  expect(answer.kind).toBe('acquired')
  const trial: Trial = { target: 't1', profile: scene.profile, id: 'trial-1' }
  return { scene, trial, machine: await scene.machineFor('trial') }
}

export function placeIn({ mapping: { target }, profile }: Scene) {
  return { target, profile }
}

/** Activates or deactivates a service, which has a port. */
export async function perform(
  scene: Scene,
  ...[activity, key, port = '80']: ['activate' | 'deactivate', string, string?]
) {
  const { definition, ...request } = scene.request(activity)
  const mapping = { ...scene.mapping, service: key as ServiceKey }
  const properties = new Map([['port', port]])
  const whole: ActivityRequest = { ...request, token: 'token', mapping, definition: { ...definition!, properties } }
  return performActivity(scene.machine, whole)
}

/** Steps of the way back, as `stop KEY` and `start KEY`. */
export function stepsOf(scene: Scene, ...words: readonly string[]): readonly StepBack[] {
  return words.map((word) => {
    const [step, key = ''] = word.split(' ')
    const mapping = { ...scene.mapping, service: key as ServiceKey }
    return { step: step as StepBack['step'], mapping, definition: undefined }
  })
}

/** Terms of a trial that does not end by itself while a test runs. */
export function terms(steps: readonly StepBack[]) {
  return { token: 'token', seconds: 1000, limitSeconds: 600, steps }
}

/** Where the trial is on the machine. */
export function directory(scene: Scene): string {
  return scene.path('state/targets/t1/trials/default')
}

export function watcherOf(scene: Scene): number {
  return Number(readlinkSync(join(directory(scene), 'watcher')).split(':')[0])
}

/** What is active, with its state and port. */
export async function active(scene: Scene): Promise<readonly string[]> {
  const { records } = await observeMachine(scene.machine, scene.profile)
  return records
    .map(({ mapping, state, definition }) => `${mapping.service} ${state} ${definition.properties.get('port')}`)
    .toSorted()
}

/** Returns what the module has been called for since the last time. */
export function takeCalls(scene: Scene): readonly string[] {
  const calls = scene.has('calls') ? scene.read('calls').trimEnd().split('\n') : []
  scene.write('calls')
  return calls.filter((call) => call !== '')
}

/** Waits until the machine is back. */
export async function hasEnded({ scene, trial, machine }: TrialScene): Promise<void> {
  await until(async () => {
    expect(existsSync(directory(scene))).toBe(false)
    expect((await trialState(machine, trial)).kind).toBe('ended')
  })
}
