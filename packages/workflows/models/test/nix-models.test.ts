import { join } from 'node:path'
import { type Architecture, secretTextOf, type TargetName } from '@davit/documents'
import { Float } from '@davit/languages'
import { manifestOf } from '@davit/normalization'
import { describe, expect, test } from 'vitest'
import { complaintOf, modelsIn, serviceOf } from './models-in.ts'
import {
  architectureFrom,
  countEvaluations,
  loadNix,
  loadNixIn,
  noPrivateNix,
  type Options,
  privateNixOfFile,
} from './nix-models.ts'

const nix = privateNixOfFile()
const { environment } = nix

/** `sees` makes a derivation whose `text` is a value as JSON. */
const SEES = `sees = name: value: derivation { inherit name; system = "x86_64-linux"; builder = "/bin/sh"; text = builtins.toJSON value; };`
const PLAIN = `plain = derivation { name = "plain"; system = "x86_64-linux"; builder = "/bin/sh"; };`
const INFRASTRUCTURE = `{
  a = { properties.hostname = "a"; containers.process.port = 1; };
  b = { properties.hostname = "b"; containers.process.port = 2; };
}`

function servicesModel(body: string): string {
  return `{ pkgs, system, distribution, invDistribution, ... }: let ${SEES} ${PLAIN} in rec {\n${body}\n}\n`
}

function deployed(services: string, distribution: string, infrastructure = INFRASTRUCTURE) {
  return {
    'services.nix': servicesModel(services),
    'infrastructure.nix': infrastructure,
    'distribution.nix': `{ infrastructure }: with infrastructure; { ${distribution} }`,
  }
}

/** Returns the value that the package of a service was made with. */
async function seenBy(name: string, files: Readonly<Record<string, string>>, options: Partial<Options> = {}) {
  const model = await loadNix(files, { environment, ...options })
  const { services } = await architectureFrom(model, { environment })
  const service = [...services.values()].find((candidate) => candidate.name === name)
  const [{ derivation = '' } = { derivation: '' }] = service?.packages.values() ?? []
  return JSON.parse(nix.shell('nix-store --query --binding text "$1"', derivation)) as unknown
}

describe.skipIf(noPrivateNix)('secrets', () => {
  const infrastructureWith = (file: string) =>
    `{ a = { properties.hostname = "a"; containers.process.password.secret.file = ${file}; }; }`
  const files = (file: string) =>
    deployed('web = { name = "web"; type = "process"; pkg = plain; };', 'web = [ a ];', infrastructureWith(file))

  test('are attribute sets, with paths relative to the model', async () => {
    const directory = modelsIn(files('"keys/db"'))
    const { infrastructure } = await loadNixIn(directory, Object.keys(files('')), { environment })
    const secret = infrastructure
      .get('a' as TargetName)
      ?.containers.values()
      .next()
      .value?.get('password')
    expect(secretTextOf(secret ?? '')).toEqual([{ file: join(directory, 'keys/db') }])
  })

  test('have no paths without quotes, which Nix would copy', async () => {
    const model = await loadNix(files('./keys'), { environment })
    const complaint = await complaintOf(architectureFrom(model, { environment }))
    expect(complaint).toContain('but got an empty table')
    expect(complaint).toContain('hint: in the Nix language, write paths in quotes')
  })
})

describe.skipIf(noPrivateNix)('data', () => {
  const awkward = [
    '__proto__',
    'constructor',
    'toString',
    'a.b c',
    'outPath',
    '__toString',
    '$float',
    '$table',
    'ü"\\n',
  ]
  test('with awkward names and numbers arrives unchanged', async () => {
    const members = awkward.map((name) => `${JSON.stringify(name)} = "x";`).join(' ')
    const model = await loadNix(
      {
        'infrastructure.nix': `{
          "__proto__" = {
            properties = {
              hostname = "a";
              table = { ${members} };
              numbers = [ 1 1.0 0.1 (0.1 + 0.2) (-3) (-2.5) (-9007199254740991) 0.0 123456789.12345679 ]
                ++ [ 1.0e300 (4.9e-300 * 1.0e-24) 1.7976931348623157e308 ];
              dropped = [ null (x: x) ./. (derivation { name = "x"; system = "y"; builder = "z"; }) { function = x: x; } ];
            };
            containers.constructor = { ${members} };
          };
        }`,
      },
      { environment },
    )
    const { properties, containers } = model.infrastructure.get('__proto__' as TargetName) ?? {}
    const table = new Map(awkward.map((name) => [name, 'x']))
    expect(properties?.get('table')).toEqual(table)
    expect(containers).toEqual(new Map([['constructor', table]]))
    const small = [1, new Float(1), 0.1, 0.1 + 0.2, -3, -2.5, -9007199254740991, new Float(0), 123456789.12345679]
    const extreme = [new Float(1e300), 5e-324, new Float(Number.MAX_VALUE)]
    expect(properties?.get('numbers')).toEqual([...small, ...extreme])
    expect(properties?.get('dropped')).toEqual([new Map()])
  })

  test('that no document can carry is refused, with its place', async () => {
    const directory = modelsIn({
      'infrastructure.nix': `{
  a.properties = {
    hostname = "a";
    large = 9007199254740993;
    endless = 1.0e308 * 10;
  };
  a.numOfCores = 2.0;
}`,
    })
    const loading = loadNixIn(directory, ['infrastructure.nix'], { environment })
    expect(await complaintOf(loading, directory)).toMatchInlineSnapshot(`
      "infrastructure.nix:4:5: error: the integer 9007199254740993 is too large to be exact
            large = 9007199254740993;
            ^
        hint: write it as text, or as a float
      infrastructure.nix:5:5: error: documents cannot contain the number Infinity
            endless = 1.0e308 * 10;
            ^
      infrastructure.nix:7:3: error: expected a number of cores (1, 2, ...), but got the number 2.0
          a.numOfCores = 2.0;
          ^
      the models have 3 errors"
    `)
  })

  test('names of services, dependencies and attributes may be awkward', async () => {
    const files = deployed(
      `__proto__ = { name = "__proto__"; type = "process"; pkg = plain; outPath = "x"; };
       constructor = { type = "process"; pkg = p: sees "c" (builtins.attrNames p); dependsOn = { inherit __proto__; outPath = __proto__; }; };`,
      '__proto__ = [ a ]; constructor = [ b ];',
    )
    expect(await seenBy('constructor', files)).toEqual(['__proto__', 'outPath'])
  })
})

describe.skipIf(noPrivateNix)('dependencies', () => {
  test('are tables or lists of services or of names, for each kind', async () => {
    const files = deployed(
      `db = { type = "process"; pkg = plain; };
       web = { type = "process"; pkg = plain; dependsOn = { inherit db; }; connectsTo = [ db ]; activatesAfter = [ "db" ]; };`,
      'db = [ a ]; web = [ a ];',
    )
    const { dependsOn, connectsTo, activatesAfter } = serviceOf(await loadNix(files, { environment }), 'web')
    const onDatabase = new Map([['db', { service: 'db' }]])
    expect([dependsOn, connectsTo, activatesAfter]).toEqual([onDatabase, onDatabase, onDatabase])
  })
})

describe.skipIf(noPrivateNix)('parameters', () => {
  const services = `
    db = { name = "db"; type = "process"; pkg = plain; port = 1.5; };
    web = { name = "web"; type = "process"; dependsOn = { db = db // { targets = [ { target = "b"; } ]; }; };
      pkg = { db }: sees "web" [ db.target.properties.hostname (builtins.length db.targets) db.target.container.port db.port ]; };`

  test('have only the targets that a dependant chooses', async () => {
    expect(await seenBy('web', deployed(services, 'db = [ a b ]; web = [ a ];'))).toEqual(['b', 1, 2, 1.5])
  })

  test('identify a service without a name by its position', async () => {
    const files = deployed(
      `db = { type = "process"; pkg = plain; };
       queue = { type = "process"; pkg = plain; };
       web = { type = "process"; connectsTo = { store = db; inherit queue; }; dependsOn = [ "db" ];
         pkg = { store, queue, db }: sees "web" (map (d: d.name) [ store queue db ]); };`,
      'db = [ a ]; queue = [ a ]; web = [ a ];',
    )
    expect(await seenBy('web', files)).toEqual(['db', 'queue', 'db'])
  })

  test('follow connectsTo as deep as it goes, also in circles', async () => {
    const files = deployed(
      `one = { name = "one"; type = "process"; connectsTo = { inherit two; };
         pkg = { two }: sees "one" two.connectsTo.one.connectsTo.two.target.properties.hostname; };
       two = { name = "two"; type = "process"; connectsTo = { inherit one; }; pkg = { one }: sees "two" one.name; };`,
      'one = [ a ]; two = [ b ];',
    )
    expect(await seenBy('one', files)).toBe('b')
  })

  test('have the properties of containers that services provide, and the packages of other services', async () => {
    const files = deployed(
      `engine = { name = "engine"; type = "process"; providesContainer = "page"; pkg = plain; port = 7001; root = toString ./.; };
       page = { name = "page"; type = "page"; pkg = plain; };
       web = { name = "web"; type = "process"; dependsOn = { inherit page; };
         pkg = { page }: sees "web" { inherit (page.target) selectedContainer; inherit (page.target.container) port; package = page.pkgs.x86_64-linux.name; }; };`,
      'engine = [ a ]; page = [ a ]; web = [ b ];',
    )
    expect(await seenBy('web', files)).toEqual({ selectedContainer: 'page', port: 7001, package: 'plain' })
  })

  test('without a distribution are placed nowhere, and have the free attributes that are asked for', async () => {
    const files = {
      'infrastructure.yaml': 'a: { properties: { hostname: a } }',
      'services.nix': `{ pkgs, system, distribution, invDistribution }: let ${PLAIN} in {
        web = { type = "process"; pkg = plain; tags = [ "x" ]; memoryMB = 1.0; other = throw "not read"; };
        db = { type = "process"; pkg = plain; tags = x: x; }; }`,
    }
    const { services } = await loadNix(files, { environment, freeAttributes: ['tags', 'memoryMB', 'none'] })
    const found = [...services.values()].map(({ name, attributes, targets }) => [name, attributes, targets])
    expect(found).toEqual([
      ['db', new Map(), undefined],
      [
        'web',
        new Map<string, unknown>([
          ['memoryMB', new Float(1)],
          ['tags', ['x']],
        ]),
        undefined,
      ],
    ])
  })

  test('of the user are JSON or Nix, and reach every function that names them', async () => {
    const files = {
      'infrastructure.nix': '{ host ? "x" }: { a = { properties.hostname = host; }; }',
      'distribution.nix': '{ infrastructure, twice ? false }: { web = if twice then [ infrastructure.a ] else [ ]; }',
      'services.nix': `{ pkgs, system, distribution, invDistribution, port, tool ? null }: let ${SEES} in
        { web = { type = "process"; pkg = sees "web" [ port (builtins.typeOf port) (builtins.typeOf tool) ]; }; }`,
    }
    const json = '{ "host": "h", "twice": true, "port": 1.0, "unknown": 1 }'
    expect(await seenBy('web', files, { extraParams: json })).toEqual([1, 'float', 'null'])
    const text =
      '{ host = "h"; twice = 1 == 1; port = 80 + 1; tool = derivation { name = "t"; system = "s"; builder = "b"; }; }'
    expect(await seenBy('web', files, { extraParams: text })).toEqual([81, 'int', 'set'])
    expect(await seenBy('web', files, { extraParams: { twice: true, port: 2 } })).toEqual([2, 'int', 'null'])
  })

  test('of the user in Nix reach programs in other languages', async () => {
    const files = {
      'infrastructure.ts': 'export default ({ host }: { host: string }) => ({ a: { properties: { hostname: host } } })',
    }
    const model = await loadNix(files, { environment, extraParams: '{ host = "h" + "i"; }' })
    expect(model.infrastructure.get('a' as TargetName)?.properties).toEqual(new Map([['hostname', 'hi']]))
  })
})

describe.skipIf(noPrivateNix)('pkgs', () => {
  const nixpkgs = () => modelsIn({ 'of the user/default.nix': '{ system ? "its own" }: { name = system; }' })
  const files = (pkg: string) => ({
    'models of mine/services.nix': `{ pkgs, system, distribution, invDistribution }: let ${SEES} in {
      web = { type = "process"; providesContainer = "c"; own = pkgs.name; pkg = ${pkg}; };
      api = { type = "process"; dependsOn = [ "web" ]; pkg = { web }: sees "api" [ web.own pkgs.name (system == null) ]; };
    }`,
    'models of mine/infrastructure.nix': '{ a = { properties.hostname = "a"; system = "aarch64-linux"; }; }',
    'models of mine/distribution.nix':
      '{ infrastructure }: { web = [ infrastructure.a ]; api = [ infrastructure.a ]; }',
  })
  test('are nixpkgs for the system of each target, and for no system where services are described', async () => {
    const directory = modelsIn(files('sees "web" pkgs.name'))
    const withPackages = { ...environment, NIX_PATH: `nixpkgs=${nixpkgs()}/of the user` }
    const names = ['services.nix', 'infrastructure.nix', 'distribution.nix']
    const model = await loadNixIn(`${directory}/models of mine`, names, { environment: withPackages })
    expect(serviceOf(model, 'web').attributes).toEqual(new Map([['own', 'its own']]))
    const { services } = await architectureFrom(model, { environment: withPackages })
    const texts = Array.from(services.values(), ({ packages: bySystem }) => {
      const [pkg] = bySystem.values()
      return JSON.parse(nix.shell('nix-store --query --binding text "$1"', pkg?.derivation ?? '')) as unknown
    })
    expect(texts).toEqual([['its own', 'aarch64-linux', false], 'aarch64-linux'])
  })
})

describe.skipIf(noPrivateNix)('targets', () => {
  test('that share an address are distinguished by their other attributes', async () => {
    const model = await loadNix(
      {
        'infrastructure.nix': `{
          a = { properties = { hostname = "h"; path = "/a"; }; };
          b = { properties = { hostname = "h"; path = "/b"; }; };
          c = { properties.address = "c"; targetProperty = "address"; };
          d = { properties.address = "c"; };
        }`,
        'distribution.nix':
          '{ infrastructure }: with infrastructure; { web = [ b a "c" d { target = c; container = "x"; } ]; }',
        'services.nix': `{ pkgs, system, distribution, invDistribution }: rec {
          web = { type = "process"; pkg = null; };
          api = web // { targets = [ invDistribution.b invDistribution.c ]; };
        }`,
      },
      { environment },
    )
    expect(serviceOf(model, 'web').targets?.map(({ target }) => target)).toEqual(['b', 'a', 'c', 'd', 'c'])
    expect(serviceOf(model, 'api').targets?.map(({ target }) => target)).toEqual(['b', 'c'])
  })

  test('have packages for their own systems', async () => {
    const files = {
      ...deployed(
        `web = { type = "process"; pkg = derivation { name = "web"; inherit system; builder = "/bin/sh"; }; };`,
        'web = [ a b ];',
        `{ a.properties.hostname = "a"; b = { properties.hostname = "b"; system = "aarch64-linux"; }; }`,
      ),
      'packages.nix':
        '{ pkgs, system }: rec { a = [ (derivation { name = "tool"; inherit system; builder = "/bin/sh"; }) ]; b = a; }',
    }
    const architecture = await architectureFrom(await loadNix(files, { environment }), { environment })
    const [web] = architecture.services.values()
    const derivations = [
      ...(web?.packages ?? []),
      ...Array.from(architecture.targetPackages, ([target, [pkg]]) => [target, pkg] as const),
    ].map(([name, pkg]) => [name, nix.shell('nix-store --query --binding system "$1"', pkg?.derivation ?? '').trim()])
    expect(derivations).toEqual([
      ['aarch64-linux', 'aarch64-linux'],
      ['x86_64-linux', 'x86_64-linux'],
      ['a', 'x86_64-linux'],
      ['b', 'aarch64-linux'],
    ])
    expect(manifestOf(architecture, new Map()).services.size).toBe(2)
  })
})

describe.skipIf(noPrivateNix)('an architecture model', () => {
  test('is complete on its own', async () => {
    const files = {
      'architecture.nix': `{ system, pkgs, port }: let ${SEES} ${PLAIN} in rec {
        infrastructure = ${INFRASTRUCTURE};
        services = rec {
          db = { type = "process"; pkg = plain; targets = [ infrastructure.b ]; };
          idle = { type = "process"; pkg = plain; };
          web = { type = "process"; pkg = { db }: sees "web" [ db.target.container.port port ]; dependsOn = { inherit db; }; targets = [ infrastructure.a ]; };
        };
        targetPackages.a = [ plain ];
      }`,
    }
    expect(await seenBy('web', files, { extraParams: '{ "port": 3 }' })).toEqual([2, 3])
    const architecture = await architectureFrom(await loadNix(files, { environment, extraParams: '{ port = 3; }' }), {
      environment,
    })
    expect([[...architecture.services.keys()], architecture.targetPackages.get('a' as TargetName)?.length]).toEqual([
      ['db', 'web'],
      1,
    ])
  })
})

describe.skipIf(noPrivateNix)('packages', () => {
  test('may be derivations, outputs of them, sources and store paths', async () => {
    const files = deployed(
      `derived = { type = "process"; pkg = plain; };
       other = { type = "process"; pkg = (derivation { name = "two"; system = "s"; builder = "b"; outputs = [ "out" "bin" ]; }).bin; };
       source = { type = "process"; pkg = ./.; };
       present = { type = "process"; pkg = "\${./.}"; };`,
      'derived = [ a ]; other = [ a ]; source = [ a ]; present = [ a ];',
    )
    const directory = modelsIn(files)
    const model = await loadNixIn(directory, Object.keys(files), { environment })
    const { services } = await architectureFrom(model, { environment })
    const packages = Array.from(services.values(), ({ name, packages: bySystem }) => {
      const [pkg] = bySystem.values()
      return [name, pkg?.outPath.slice(44), pkg?.derivation?.slice(44)]
    })
    const own = directory.slice(directory.lastIndexOf('/') + 1)
    expect(packages).toEqual([
      ['derived', 'plain', 'plain.drv'],
      ['other', 'two-bin', 'two.drv'],
      ['present', own, undefined],
      ['source', own, undefined],
    ])
  })

  test('of a thousand services take two evaluations', async () => {
    const directory = modelsIn({
      'infrastructure.nix':
        'builtins.listToAttrs (builtins.genList (n: { name = "t${toString n}"; value = { properties.hostname = "h${toString n}"; }; }) 100)',
      'services.nix': `{ pkgs, system, distribution, invDistribution }: let ${PLAIN}
        services = builtins.listToAttrs (builtins.genList (n: { name = "s\${toString n}"; value = {
          name = "s\${toString n}"; type = "process";
          dependsOn = if n < 100 then { } else { one = services."s\${toString (n - 100)}"; two = services."s\${toString (n - n / 100)}"; };
          pkg = if n < 100 then plain else { one, two }: plain // { inherit (one.target) properties; };
        }; }) 1000); in services`,
      'distribution.nix':
        '{ infrastructure }: builtins.listToAttrs (builtins.genList (n: { name = "s${toString n}"; value = [ infrastructure."t${toString (n - n / 100 * 100)}" ]; }) 1000)',
    })
    let services: Architecture['services'] = new Map()
    const count = await countEvaluations(environment, async (counting) => {
      const names = ['services.nix', 'infrastructure.nix', 'distribution.nix']
      const model = await loadNixIn(directory, names, { environment: counting })
      services = (await architectureFrom(model, { environment: counting })).services
    })
    expect(count).toBe(2)
    const packages = [...services.values()].flatMap(({ packages: bySystem }) => [...bySystem.values()])
    expect([services.size, packages.length]).toEqual([1000, 1000])
  })
})
