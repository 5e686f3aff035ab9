import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'

import { openNativeStore, storeLayout } from '@davit/store'
import { removeTree } from '@davit/files'
import { shellsInDepth } from '@davit/testing/shells'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { fetchNatively } from '../src/native/fetch.ts'
import type { Machine } from '../src/target.ts'
import { build, type Building, ENVIRONMENT, openBuilding } from './building.ts'
import { canPose } from './other-machine.ts'
import { broken, cut, damaged } from './spoiled-output.ts'

const FOREVER = new AbortController().signal
const shell = shellsInDepth()[0]!

describe.runIf(canPose)('fetchNatively()', () => {
  let building: Building

  beforeEach(async () => {
    building = await openBuilding(shell)
  })
  afterEach(() => building.close())

  const layout = () => storeLayout(building.store.reference.directory)
  const recordOf = (path: string) => join(layout().registrations, `${basename(path)}.json`)

  async function built(...names: readonly string[]) {
    const packages = await building.instantiate(
      ...names.map((name) => build(name, `mkdir $out; echo ${name} >$out/file`)),
    )
    building.send()
    await building.build(packages)
    return packages
  }

  test('brings all outputs in one stream', async () => {
    const packages = await built('web', 'other', 'third')
    const before = building.connection.pids.length
    expect(await building.fetch(packages)).toMatchObject({ paths: 3 })
    expect(building.connection.pids.length - before).toBe(2)
    expect(packages.map(({ outPath }) => readFileSync(join(outPath, 'file'), 'utf8'))).toEqual([
      'web\n',
      'other\n',
      'third\n',
    ])
    expect(packages.map(building.standsThere)).toEqual(packages.map(() => [true, true]))
  })

  test.each([
    ['is cut off', cut, 'what arrived differs from what was sent'],
    ['breaks', broken, 'the stream was cut off'],
    ['is damaged', damaged('web\n'), 'what arrived differs from what was sent'],
  ])('registers nothing when the stream %s, and the next one succeeds', async (_, damage, reason) => {
    const [pkg] = await built('web')
    const fetching = building.fetch([pkg!], { machine: withOutput(building.machine, damage) })
    await expect(fetching).rejects.toMatchObject({ code: 'fetch-failed', message: expect.stringContaining(reason) })
    expect(await building.store.invalidPaths([pkg!.outPath])).toHaveLength(1)
    expect(building.standsThere(pkg!)).toEqual([false, false])
    expect(await building.fetch([pkg!])).toMatchObject({ paths: 1 })
    expect(building.standsThere(pkg!)).toEqual([true, true])
  })

  test('stops on abort, and registers nothing', async () => {
    const [pkg] = await built('web')
    const stop = new AbortController()
    const stalled = new PassThrough()
    const machine = withOutput(building.machine, (output) => {
      output.once('data', () => stop.abort(new Error('enough')))
      return stalled
    })
    await expect(building.fetch([pkg!], { machine, signal: stop.signal })).rejects.toThrow('enough')
    expect(await building.store.invalidPaths([pkg!.outPath])).toHaveLength(1)
    expect(building.waiting()).toHaveLength(1)
  })

  test('brings outputs that are valid there already', async () => {
    const [pkg] = await built('web')
    await building.fetch([pkg!])
    const record = readFileSync(building.there(recordOf(pkg!.outPath)), 'utf8')
    for (const path of [pkg!.outPath, recordOf(pkg!.outPath)]) removeTree(path)
    const store = await openNativeStore({ ...building.store.reference, environment: ENVIRONMENT })
    expect(await store.invalidPaths([pkg!.outPath])).toHaveLength(1)
    expect(await building.build([pkg!])).toEqual([{ kind: 'built' }])
    expect(building.waiting()).toEqual([])
    const place = { machine: building.machine, store }
    expect(await fetchNatively(place, [pkg!.derivation!], { signal: FOREVER })).toMatchObject({ paths: 1 })
    expect(await store.invalidPaths([pkg!.outPath])).toEqual([])
    expect(readFileSync(building.there(recordOf(pkg!.outPath)), 'utf8')).toBe(record)
  })

  test('brings outputs that another coordinator makes valid there at that moment', async () => {
    const [pkg] = await built('web')
    const adopted = withScript(building.machine, () => {
      const name = basename(pkg!.outPath)
      const there = building.there(layout().incoming)
      return `for waiting in '${there}'/built.*/paths/${name}; do chmod u+w "$waiting"; mv "$waiting" '${building.there(layout().directory)}'; done
        echo '{}' >'${building.there(recordOf(pkg!.outPath))}'`
    })
    expect(await building.fetch([pkg!], { machine: adopted })).toMatchObject({ paths: 1 })
    expect(readFileSync(building.there(recordOf(pkg!.outPath)), 'utf8')).toBe('{}\n')
  })

  test('refuses names that are not text, and removes what it refused', async () => {
    const packages = await building.instantiate(build('web', `mkdir $out; : >"$out/$(printf '\\377')"`))
    building.send()
    await building.build(packages)
    await expect(building.fetch(packages)).rejects.toMatchObject({ code: 'bad-archive' })
    expect(building.waiting()).toEqual([])
    expect(packages.map(building.standsThere)).toEqual([[false, false]])
  })

  test('gives a hint if the outputs are gone', async () => {
    const [pkg] = await built('web')
    removeTree(building.there(layout().incoming))
    await expect(building.fetch([pkg!])).rejects.toMatchObject({
      code: 'fetch-failed',
      message: expect.stringMatching(/^cannot fetch what 'other' has built: .*(No such file|cannot open|Cannot open)/),
    })
  })

  test('skips outputs that have become valid on the coordinator in the meantime', async () => {
    const [pkg] = await built('web')
    const machine: Machine<'carry'> = {
      ...building.machine,
      async run(script) {
        await building.store.realise([pkg!], { report: () => {}, signal: FOREVER })
        return building.machine.run(script)
      },
    }
    expect(await building.fetch([pkg!], { machine })).toMatchObject({ paths: 1 })
    expect(building.standsThere(pkg!)).toEqual([true, true])
  })
})

/** Returns a machine whose scripts print through a stream. */
function withOutput(machine: Machine<'carry'>, change: (output: Readable) => Readable): Machine<'carry'> {
  return {
    ...machine,
    async run(script) {
      const channel = await machine.run(script)
      const stdout = change(channel.stdout)
      const close = () => {
        channel.close()
        stdout.destroy()
      }
      return { ...channel, stdout, close }
    },
  }
}

/** Returns a machine that runs something before its first script. */
function withScript(machine: Machine<'carry'>, before: () => string): Machine<'carry'> {
  let isFirst = true
  return {
    ...machine,
    async run(script) {
      if (isFirst) {
        isFirst = false
        const channel = await machine.run(before())
        channel.stdout.resume()
        await once(channel.stdout, 'end')
      }
      return machine.run(script)
    },
  }
}
