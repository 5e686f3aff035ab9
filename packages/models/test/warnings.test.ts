import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { System } from '@davit/documents'
import { expect, test } from 'vitest'
import { loadArchitecture } from '../src/models.ts'
import { modelsIn } from './models-in.ts'
import { loadNixIn, noPrivateNix, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()

test('loadArchitecture() warns of attributes that are nearly called like those it knows, and keeps them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'davit-warnings-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const services = file('services.yaml', 'web: { type: echo, pkg: { source: . }, dependOn: [x], port: 1 }\n')
  const infrastructure = file('infrastructure.yaml', 'one:\n  properties: { hostname: a }\n  numCores: 2\n  meta: 1\n')
  const distribution = file('distribution.yaml', 'web: [one]\n')
  const options = { system: 'x86_64-linux' as System }
  const model = await loadArchitecture({ services, infrastructure, distribution }, options)
  rmSync(directory, { recursive: true })
  expect(model.warnings).toMatchObject([
    { severity: 'warning', hint: "did you mean 'numOfCores'?", place: { line: 3, column: 3 } },
    { severity: 'warning', hint: "did you mean 'dependsOn'?", place: { line: 1, column: 40 } },
  ])
  expect([...model.services.values()][0]?.attributes.has('dependOn')).toBe(true)
})

const NIX_SERVICE = 'name = "web"; type = "echo"; pkg = builtins.storePath "/x"; dependOn = [ ]; port = 1;'

test.each<readonly [string, Readonly<Record<string, string>>]>([
  ['json', { services: '{ "web": { "type": "echo", "pkg": { "source": "." }, "dependOn": ["x"], "port": 1 } }' }],
  ['ts', { services: "export default { web: { type: 'echo', pkg: { source: '.' }, dependOn: ['x'], port: 1 } }" }],
  ['nix', { services: `{ pkgs, system, distribution, invDistribution }: { web = { ${NIX_SERVICE} }; }` }],
])('loadArchitecture() warns of them in %s as well', async (language, { services = '' }) => {
  if (language === 'nix' && noPrivateNix !== undefined) return
  const files = { [`services.${language}`]: services, 'infrastructure.yaml': 'one: { properties: { hostname: a } }\n' }
  const { warnings = [] } = await loadNixIn(modelsIn(files), Object.keys(files), { environment })
  expect(warnings).toMatchObject([{ severity: 'warning', hint: "did you mean 'dependsOn'?" }])
})
