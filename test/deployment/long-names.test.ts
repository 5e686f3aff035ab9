import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { EACH_LANGUAGE, LANGUAGES } from '../harness/language.ts'
import { deploy, modelFile } from '../harness/models.ts'

/** Returns a name of the maximal length. Such names differ only at their ends. */
const named = (kind: string, end: string) => `${kind}-`.padEnd(200 - end.length, 'x') + end

function executable(name: string, ...lines: readonly string[]): string {
  const text = ['#!/bin/sh', ...lines].map((line) => `echo '${line}'`).join('; ')
  return `mkdir -p "$out/bin"; { ${text}; echo "# $profile"; } > "$out/bin/${name}"; chmod +x "$out/bin/${name}"`
}

const WRAPPER = executable(
  'wrapper',
  `'"calls=$calls"'`,
  'echo "$1 $2 $DAVIT_SERVICE $DAVIT_TARGET $colour" >> "$calls"',
)

describe.each(EACH_LANGUAGE)('names of 200 bytes, models in %s', (language) => {
  let user: Coordinator
  beforeAll(async () => {
    user = await coordinator({ language })
  })
  afterAll(() => user?.remove())

  // That profiles are kept apart does not depend on the language.
  const profiles = (LANGUAGES.includes(language) ? ['1', '2'] : ['1']).map((end) => named('profile', end))
  const targets = ['1', '2'].map((end) => named('target', end))
  const containers = ['1', '2'].map((end) => named('container', end))
  const service = named('service', '1')
  const program = named('program', '1')
  const models = (profile: string) => ({
    services: {
      [service]: {
        type: 'wrapper',
        pkg: { build: { env: { profile, calls: join(user.directory, 'calls') }, script: WRAPPER } },
      },
      [program]: {
        type: 'process',
        colour: profile,
        pkg: {
          build: {
            env: { profile },
            script: executable('sleeper', 'exec sleep 1000'),
          },
        },
      },
    },
    infrastructure: Object.fromEntries(
      targets.map((name) => [
        name,
        {
          properties: { hostname: 'localhost', name },
          clientInterface: 'local',
          containers: Object.fromEntries(containers.map((container) => [container, { colour: `blue ${container}` }])),
        },
      ]),
    ),
    distribution: {
      [service]: targets.flatMap((target) => containers.map((container) => ({ target, container }))),
      [program]: [{ target: targets[0], container: containers[0] }],
    },
  })
  const calls = async () => {
    const text = await readFile(join(user.directory, 'calls'), 'utf8')
    await user.bash('rm calls')
    return text
      .split('\n')
      .filter((line) => /^(de)?activate/.test(line))
      .toSorted()
  }
  const all = (activity: string) =>
    targets
      .flatMap((target) =>
        containers.map((container) => `${activity} ${container} ${service} ${target} blue ${container}`),
      )
      .toSorted()

  test('are deployed, each mapping and profile on its own, upgraded and undeployed', async () => {
    for (const profile of profiles) {
      succeeded(await deploy(user, models(profile), { options: ['-p', profile] }))
      expect(await calls()).toEqual(all('activate'))
    }
    for (const profile of profiles) {
      const again = await deploy(user, models(profile), { options: ['-p', profile] })
      succeeded(again)
      expect(again.stderr).not.toContain('activate')
    }
    succeeded(await user.run(['davit-collect-garbage', '--deployed', '-d', '-p', profiles[0] ?? '']))
    for (const profile of profiles) {
      succeeded(await user.run(['davit-env', '--undeploy', '-i', modelFile(user, 'infrastructure'), '-p', profile]))
      expect(await calls()).toEqual(all('deactivate'))
    }
  })
})
