import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import { complaintOf, modelsIn } from './models-in.ts'
import { architectureFrom, loadNixIn, noPrivateNix, type Options, privateNixOfFile } from './nix-models.ts'

const { environment } = privateNixOfFile()

const DRV = 'derivation { name = "x"; system = "x86_64-linux"; builder = "/bin/sh"; }'
const DB = `db = { name = "db"; type = "process"; pkg = ${DRV}; };`

interface Defect {
  readonly services?: string
  readonly distribution?: string
  readonly infrastructure?: string
  readonly packages?: string
  readonly extraParams?: string
}

/** `services` and `distribution` are the contents of the tables. */
function filesOf({ services = '', distribution = 'web = [ a ];', ...others }: Defect) {
  const table = (text: string) =>
    text.startsWith('{ ') ? text : `{ pkgs, system, distribution, invDistribution }: rec {\n${text}\n}\n`
  return {
    'services.nix': table(services),
    'infrastructure.nix': others.infrastructure ?? '{ a.properties.hostname = "a"; }\n',
    'distribution.nix': distribution.startsWith('{ ')
      ? distribution
      : `{ infrastructure }: with infrastructure; { ${distribution} }\n`,
    ...(others.packages === undefined ? {} : { 'packages.nix': others.packages }),
  }
}

async function complaint({ extraParams, ...defect }: Defect, options: Partial<Options> = {}): Promise<string> {
  const files = filesOf(defect)
  const directory = modelsIn(files)
  const failing = async () => {
    const model = await loadNixIn(directory, Object.keys(files), { environment, extraParams, ...options })
    return architectureFrom(model, { environment, ...options })
  }
  return complaintOf(failing(), directory)
}

const DEFECTS: Readonly<Record<string, Defect>> = {
  'a package asks for what is no dependency, another does not take one': {
    services: `${DB}
web = { name = "web"; type = "process"; dependsOn = { inherit db; };
  pkg = { bd, port ? 80 }: ${DRV}; };
api = { name = "api"; type = "process"; dependsOn = { inherit db; };
  pkg = { queue, ... }: ${DRV}; };
lone = { name = "lone"; type = "process"; pkg = { }: ${DRV}; };
needy = { name = "needy"; type = "process"; pkg = { db }: ${DRV}; };`,
    distribution: 'web = [ a ]; db = [ a ]; api = [ a ]; lone = [ a ]; needy = [ a ];',
  },
  'a package does not take a dependency': {
    distribution: 'web = [ a ]; db = [ a ];',
    services: `${DB}\nweb = { name = "web"; type = "process"; dependsOn = { inherit db; };\n  pkg = { db2 ? 1 }: ${DRV}; };`,
  },
  'a wrong name, a dependency on a package, a cycle': {
    services: `db = { name = "database"; type = "process"; pkg = ${DRV}; };
tool = { name = "tool"; type = "package"; pkg = ${DRV}; };
web = { name = "web"; type = "process"; pkg = ${DRV};
  dependsOn = { inherit tool; };
};
one = { name = "one"; type = "process"; pkg = { two }: ${DRV}; dependsOn = { inherit two; }; };
two = { name = "two"; type = "process"; pkg = { one }: ${DRV}; dependsOn = { inherit one; }; };`,
    distribution: 'web = [ a ]; db = [ a ]; one = [ a ]; two = [ a ]; wbe = [ a ];',
  },
  'a service lacks what it needs': {
    services: 'web = { name = "web"; dependsOn = 3; };\ndb = [ ];',
  },
  'services are no table': { services: '{ pkgs, system, distribution, invDistribution }: [ 1 ]' },
  'a service is nowhere': {
    services: `web = { name = "web"; type = "process"; pkg = ${DRV}; };`,
    distribution: 'web = [ "b" { properties.hostname = "c"; } { target = 3; } ]; db = a;',
  },
  'a target does not exist': { distribution: '{ infrastructure }:\n{ web = [ infrastructure.b ]; }' },
  'two targets are the same': {
    infrastructure: '{ a.properties.hostname = "a"; b.properties.hostname = "a"; }\n',
    services: `web = { name = "web"; type = "process"; pkg = ${DRV}; };`,
    distribution: 'web = [ b ];',
  },
  'a package throws': {
    distribution: 'web = [ a ]; db = [ a ];',
    services: `${DB}\nweb = { name = "web"; type = "process"; dependsOn = { inherit db; };\n  pkg = { db }: throw "no \${db.name}"; };`,
  },
  'a package has a mistake': {
    services: `web = { name = "web"; type = "process";\n  pkg = derivation { name = "x"; system = systme; builder = "/bin/sh"; }; };`,
  },
  'a package is no derivation': {
    services: `web = { name = "web"; type = "process"; pkg = [ 1 ]; };`,
  },
  'packages of targets have mistakes': {
    packages: '{ pkgs, system }:\n{ a = [ { } ]; }',
    distribution: '',
  },
  'a package is a text': {
    services: `web = { name = "web"; type = "process"; pkg = "/usr/bin/web"; };`,
  },
  'a dependency is placed nowhere': {
    services: `${DB}\nweb = { name = "web"; type = "process"; dependsOn = { inherit db; };\n  pkg = { db }: ${DRV} // { inherit (db.target) outPath; }; };`,
    distribution: 'web = [ a ];',
  },
  'a container is not described': {
    distribution: 'web = [ a ]; db = [ a ];',
    services: `${DB}\nweb = { name = "web"; type = "process"; dependsOn = { inherit db; };
  pkg = { db }: derivation { name = "x"; system = "x"; builder = "x"; port = db.target.container.port; }; };`,
  },
  'a function of a model does not take what it is given': {
    services: `{ pkgs, system, distribution }:\n{ web = { name = "web"; type = "process"; pkg = ${DRV}; }; }`,
  },
  'a function of a model wants more': {
    services: `{ pkgs, system, distribution, invDistribution, port }:\n{ web = { name = "web"; type = "process"; pkg = ${DRV}; }; }`,
  },
  'nixpkgs are needed, and not there': {
    services: 'web = { name = "web"; type = "process";\n  pkg = pkgs.hello; };',
  },
  'a type is computed in a circle': {
    services: `web = { name = "web"; type = web.type;\n  pkg = ${DRV}; };`,
  },
  'the models recurse endlessly': {
    services: `web = { name = "web"; type = let again = n: again (n + 1) + 1; in again 1; };`,
  },
  'a syntax error': { services: '{ web = ; }' },
  'packages are no list': { packages: `{ pkgs, system }: { a = ${DRV}; b = 3; }`, services: '', distribution: '' },
  'extra parameters are no set': { extraParams: '[ 1 ]', services: DB },
  'extra parameters are no JSON, nor Nix': { extraParams: '{ "port": 80, }', services: DB },
}

test.skipIf(noPrivateNix)("problems of models have the place in the user's file", async () => {
  const complaints = await Promise.all(
    Object.entries(DEFECTS).map(async ([title, defect]) => `# ${title}\n${await complaint(defect)}`),
  )
  const text = `${complaints.join('\n\n')}\n`
  expect(text).not.toMatch(/model-(?:metadata|packages|value)|plain\.nix|parameters\.nix|models\.nix|targets\.nix/)
  await expect(text).toMatchFileSnapshot('fixtures/nix-errors.txt')
})

test.skipIf(noPrivateNix)('--show-trace shows everything', async () => {
  const services = `web = { name = "web"; type = "process"; pkg = derivation { name = "x"; system = throw "no system"; builder = "/bin/sh"; }; };`
  expect(await complaint({ services })).toMatchInlineSnapshot(`
    "services.nix:2:60: error: package of service 'web' for x86_64-linux: no system
      web = { name = "web"; type = "process"; pkg = derivation { name = "x"; system = throw "no system"; builder = "/bin/sh"; }; };
                                                                 ^
    Nix cannot evaluate the models"
  `)
  const shown = await complaint({ services }, { showTrace: true })
  expect(shown).toMatch(/… while evaluating the attribute 'system'.* at .*services\.nix:2:\d+/)
  expect(shown).toContain('model-packages.nix')
})

test.skipIf(noPrivateNix)('trace output of models is reported', async () => {
  const events: ReportEvent[] = []
  const files = filesOf({
    distribution: 'web = [ a ]; db = [ a ];',
    services: `${DB}\nweb = { name = "web"; type = builtins.trace "typing" "process"; pkg = db.pkg; };`,
  })
  await loadNixIn(modelsIn(files), Object.keys(files), { environment, report: (event) => events.push(event) })
  expect(events).toMatchObject([{ kind: 'note', code: 'nix-trace', message: 'typing' }])
})

test.skipIf(noPrivateNix)('files are shown as the user named them', async () => {
  const directory = modelsIn({})
  const file = join(directory, 'of mine.nix')
  writeFileSync(file, '{ a = 1 + "x"; }')
  const { loadArchitecture } = await import('../src/models.ts')
  const relativeFile = file.slice(1)
  const loading = loadArchitecture({ infrastructure: file }, { system: 'x86_64-linux' as never, environment })
  expect(await complaintOf(loading)).toContain(`/${relativeFile}:1:`)
})
