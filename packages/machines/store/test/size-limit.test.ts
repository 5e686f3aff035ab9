import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '@davit/process'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { scratchDirectory } from '@davit/testing/scratch'
import { expect, test } from 'vitest'
import { probeIsolation } from '@davit/isolation'
import { openNativeStore } from '../src/store.ts'
import { nixStore } from './nix-packages.ts'
import { build, HERE, wantedBy } from './package-specs.ts'
import { failureOf, instantiated, leftovers, realised, running, temporaryStore, writeTree } from './temporary-store.ts'

const nix = privateNixOfFile({ settings: [`system = ${HERE}`] })
const best = await probeIsolation(environment())
/** Undefined is the best that a store finds. */
const ISOLATIONS = best.kind === 'none' ? [best] : [undefined, { kind: 'none' } as const]
const MORE = "'sizeLimit' in its package, or DAVIT_SIZE_LIMIT, allows more"
const STOPPED = `wrote more than 20 MB and was stopped: ${MORE}`
const LIMIT = { sizeLimitBytes: 20_000_000 }

/** Script that writes endlessly; without the limit, only a full disk would stop it. */
const endless = (place: string) =>
  `mkdir -p "${place}"; i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero >"${place}/$i"; sleep 0.02; done`

for (const isolation of ISOLATIONS) {
  test.each([
    ['its output', endless('$out')],
    ['its directory', endless('$HOME/deep/tree')],
    ['one file', 'yes >$out'],
    ['one file, and does not mind', 'yes >$out || :; echo more >file'],
    ['a hole', 'truncate -s 1T $out'],
    ['the background', `(${endless('$out')}) & sleep 71.25`],
  ])(`a build that writes too much into %s is ended (isolation ${isolation?.kind ?? best.kind})`, async (_, script) => {
    const store = await temporaryStore(isolation)
    const [pkg] = await instantiated(store, build('web', script, LIMIT))
    expect(
      await failureOf(store.realise([pkg!], { report: () => {}, signal: new AbortController().signal })),
    ).toContain(`the build of 'web' ${STOPPED}`)
    expect([leftovers(store), running('sleep 71.25')]).toEqual([[], false])
    expect(await store.invalidPaths([pkg!.outPath])).toHaveLength(1)
  })
}

test('an output that was written faster than it could be measured is refused as well; a smaller one is not', async () => {
  const store = await temporaryStore()
  const script = 'mkdir $out; for i in 1 2 3; do head -c 9000000 /dev/zero >$out/$i; done'
  expect(await failureOf(realised(store, build('web', script, LIMIT)))).toContain(STOPPED)
  const [pkg] = await realised(store, build('web', script, { sizeLimitBytes: 40_000_000 }))
  expect(pkg!.outPath).toMatch(/-web$/)
  const [unlimited] = await instantiated(store, build('web', script))
  expect(unlimited!.outPath).toBe(pkg!.outPath)
})

test('DAVIT_SIZE_LIMIT applies to all that have no limit of their own', async () => {
  const open = (limit: string) =>
    openNativeStore({
      directory: join(scratchDirectory(), 'store'),
      environment: { ...environment(), DAVIT_SIZE_LIMIT: limit },
    })
  const spec = build('web', 'head -c 100000 /dev/zero >$out')
  expect(await failureOf(realised(await open('50 kB'), spec))).toContain(
    `wrote more than 50 kB and was stopped: ${MORE}`,
  )
  await realised(await open('50 kB'), { ...spec, sizeLimitBytes: 200_000 })
  await expect(realised(await open('much'), spec)).rejects.toMatchObject({
    message: "variable 'DAVIT_SIZE_LIMIT' cannot be 'much'",
    exitStatus: 64,
  })
})

const big = () => {
  const path = writeTree({ 'small/a': 'a'.repeat(2000), 'big/b': '', 'big/deep/c': '', d: '', link: '->/' })
  truncateSync(join(path, 'big/b'), 15_000_000)
  truncateSync(join(path, 'big/deep/c'), 10_000_000)
  truncateSync(join(path, 'd'), 1_000_000)
  return path
}

const refusal = (path: string) =>
  `the source '${path}' is larger than 20 MB: 'big' has 25 MB, 'd' has 1 MB, 'small' has 2 kB (name a directory that contains only what the package needs; ${MORE})`

test('a source that is too large is refused, with what is largest in it, before anything is copied', async () => {
  const store = await temporaryStore()
  const path = big()
  const message = await failureOf(
    instantiated(store, { kind: 'source', path, ...LIMIT }, build('web', 'true', { sources: { path }, ...LIMIT }), {
      kind: 'source',
      path: join(path, 'big/b'),
      sizeLimitBytes: 10_000_000,
    }),
  )
  const file = `the source '${path}/big/b' is larger than 10 MB (`
  const lines = message.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    'cannot use 3 packages',
    `service 'web': ${refusal(path)}`,
    `service 'web': ${refusal(path)}`,
  ])
  expect(lines[3]).toContain(file)
  expect(await store.invalidPaths([])).toEqual([])
  const [one, other] = await instantiated(
    store,
    { kind: 'source', path },
    { kind: 'source', path, sizeLimitBytes: 26_100_000 },
  )
  expect(one).toEqual(other)
})

test.skipIf(noPrivateNix !== undefined)('a source that is too large is refused with Nix as well', async () => {
  const store = await nixStore(nix)
  const path = big()
  const requests = [{ kind: 'source', path, ...LIMIT } as const, build('web', 'true', { sources: { path }, ...LIMIT })]
  const message = await failureOf(store.instantiate(requests.map((spec) => wantedBy('web', spec))))
  expect(message.split('\n')).toEqual([
    'cannot use 2 packages',
    `service 'web': ${refusal(path)}`,
    `service 'web': ${refusal(path)}`,
  ])
})
