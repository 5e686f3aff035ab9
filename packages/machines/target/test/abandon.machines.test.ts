import { existsSync, statSync } from 'node:fs'

import { shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { abandonRecord, performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

describe.each(shellsInDepth())('abandonRecord() on a machine with $name', (shell) => {
  const abandon = ({ machine, profile, mapping }: Scene, token = '-') =>
    abandonRecord(machine, {
      profile,
      token,
      target: mapping.target,
      container: mapping.container,
      key: mapping.service,
    })

  test('moves a record to a place that only its owner can read', async () => {
    const scene = await Scene.open(shell)
    await performActivity(scene.machine, scene.request('activate', scene.module('exit 0')))
    const kept = await abandon(scene)
    expect([existsSync(scene.record), existsSync(`${kept}/record`)]).toEqual([false, true])
    for (const directory of ['abandoned', 'abandoned/default'])
      expect(statSync(`${scene.directory}/state/targets/t1/${directory}`).mode & 0o777).toBe(0o700)
  })

  test('refuses while an activity runs', async () => {
    const scene = await Scene.open(shell)
    const activity = performActivity(
      scene.machine,
      scene.request('activate', scene.module('echo $$ >"$D/begun"; hold')),
    )
    await until(() => expect(scene.read('begun')).not.toBe(''))
    await expect(abandon(scene)).rejects.toMatchObject({ code: 'already-running' })
    expect(existsSync(`${scene.record}/record`)).toBe(true)
    scene.write('go')
    expect(await activity).toEqual({ kind: 'succeeded' })
  })

  test('refuses a token that does not hold the lock', async () => {
    const scene = await Scene.open(shell)
    await performActivity(scene.machine, scene.request('activate', scene.module('exit 0')))
    await expect(abandon(scene, 'somebody-elses')).rejects.toMatchObject({ code: 'lock-lost' })
    expect(existsSync(`${scene.record}/record`)).toBe(true)
  })
})
