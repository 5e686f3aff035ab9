import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CompiledStack, parseDocument } from '@davit/documents'
import { parseData } from '@davit/languages'
import { stackCases } from '@davit/stack/testing'
import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { beforeEach, expect, test } from 'vitest'
import { tool } from '../src/main.ts'

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('Muspace.yaml', 'clusters: { lab: { cloud: vmware, settings: { zone: north } } }\n')
  write(
    'shop/Mu.yaml',
    [
      'name: shop',
      'properties: { greeting: { type: string, default: hi } }',
      'services:',
      '  private:',
      '    api: { type: mu/container, port: 80, env: { GREETING: {{orElse .args "greeting" "hi" | json}}, ZONE: {{orElse .Cluster.Settings "zone" "none"}} } }',
      '  public:',
      '    gate: { type: mu/gateway, targets: [api] }',
      '',
    ].join('\n'),
  )
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}

async function compile(...words: readonly string[]) {
  return runHere(tool, words, { directory })
}

test('the compiled stack is printed, and is the same every time', async () => {
  const { status, stdout } = await compile('shop', '--skip-codegen', '-c', 'lab', '--', '--greeting', 'a "b"')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ document: 'stack', name: 'shop' })
  const stack = parseDocument(CompiledStack, stdout, { file: 'stdout' })
  expect(stack.cluster).toEqual({ name: 'lab', cloud: 'vmware' })
  expect(stack.services.get('shop/api')?.properties.get('env')).toEqual({ GREETING: 'a "b"', ZONE: 'north' })
  expect(stack.services.get('shop/gate')).toMatchObject({ dependsOn: ['shop/api'], endpoints: [80] })
  expect(stack.order).toEqual(['shop/api', 'shop/gate'])
  const again = await compile('shop/Mu.yaml', '--skip-codegen', '-c', 'lab', '--', 'greeting=a "b"')
  expect(again.stdout).toBe(stdout)
})

test.each([[['=5']], [['greeting=a', '--=5']], [['--']]])(
  'an argument without a name is refused: %j',
  async (words) => {
    const { status, stdout, stderr } = await compile('shop', '--skip-codegen', '--', ...words)
    expect([status, stdout]).toEqual([64, ''])
    expect(stderr).toContain(`the argument '${words.at(-1)}' has no name`)
  },
)

test('of an argument that is given twice the last one counts, which is told once', async () => {
  const words = ['greeting=a', '--greeting', 'b', '-greeting=c']
  const { status, stdout, stderr } = await compile('shop', '--skip-codegen', '-c', 'lab', '--', ...words)
  expect(status).toBe(0)
  expect(stdout).toContain('"greeting": "c"')
  expect(stderr).toBe("warning: the argument 'greeting' is given more than once: the last one counts\n")
})

test('--list-clusters prints the names of the clusters, even where there is no stack file', async () => {
  write('Muspace.yaml', 'clusters: { lab: {}, "two words": { cloud: nonsense } }\n')
  expect(await compile('--list-clusters')).toEqual({ status: 0, stdout: 'lab\ntwo words\n', stderr: '' })
  write('Muspace.yaml', '')
  expect(await compile('shop', '--list-clusters')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('errors have their codes, subjects and places, in text and for programs', async () => {
  write(
    'shop/Mu.yaml',
    'name: shop\nservices:\n  public:\n    gate: { type: mu/gateway, targets: [apy], prot: 1 }\n    api: { type: mu/container }\n',
  )
  const { status, stdout, stderr } = await compile('shop', '--skip-codegen')
  expect([status, stdout]).toEqual([65, ''])
  expect(stderr).toContain("shop/Mu.yaml:4:41: error: MU509: there is no service 'apy'")
  expect(stderr).toContain("hint: did you mean 'api'?")
  expect(stderr).toContain("shop/Mu.yaml:4:47: error: MU507: there is no property 'prot'")
  const { stderr: log } = await compile('shop', '--skip-codegen', '--log-format', 'json')
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly diagnostics?: readonly object[] })
  expect(lines.at(-1)).toMatchObject({
    code: 'invalid-stack',
    exitStatus: 65,
    diagnostics: [
      { severity: 'error', code: 'MU509', subjects: ['apy'], place: { file: 'shop/Mu.yaml', line: 4, column: 41 } },
      { code: 'MU507', subjects: ['prot'] },
    ],
  })
})

function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/MU\d+/g)].map(([code]) => code)
}

test('a stack without file is no input, and all that is wrong with the choice of the target is told with it', async () => {
  write('mu.yaml', '')
  const { status, stderr } = await compile('.', '--skip-codegen', '-c', 'nowhere', '-t', 'awz:esc')
  expect([status, codesIn(stderr)]).toEqual([66, ['MU101', 'MU100', 'MU120', 'MU121', 'MU124']])
})

test.each([
  [['none'], 66, ['MU103']],
  [['none', '-t', 'awz', '-c', 'nowhere'], 66, ['MU103', 'MU120']],
  [['shop', '-c', 'lab'], 65, ['MU152']],
  [['shop', '-t', 'aws:gke', '-c', 'lab'], 65, ['MU152', 'MU122']],
  [['shop', '-t', 'awz', '-c', 'lab'], 65, ['MU152', 'MU120']],
])('what cannot be known of a broken or missing workspace is not missed: %j', async (words, expected, codes) => {
  write('Muspace.yaml', 'clusters: [')
  if (words[0] === 'none') write('Muspace.yaml', '')
  const { status, stderr } = await compile(...words)
  expect([status, codesIn(stderr)]).toEqual([expected, codes])
})

test('a target that is wrong is told before what is wrong with the stack, which is not read', async () => {
  write('Muspace.yaml', 'clusters: { lab: { cloud: aws, default: "yes" } }\ndependencies: { a-b: latest }\n')
  write('shop/Mu.yaml', 'name: [')
  const { stderr } = await compile('shop', '-c', 'lob')
  expect(codesIn(stderr)).toEqual(['MU152', 'MU156'])
})

test('stacks are found in the home directory and in that of MUROOT, if there are such', async () => {
  const leaf = 'name: far/leaf\nintrinsic: true\n'
  write('home/.Mudeps/far/leaf/Mu.yaml', `${leaf}version: 1.0.0\n`)
  write('root/lib/far/leaf/Mu.yaml', `${leaf}version: 2.0.0\n`)
  write('near/Mu.yaml', 'name: near\nservices: { public: { a: { type: far/leaf } } }\n')
  const [HOME, MUROOT] = [join(directory, 'home'), join(directory, 'root')]
  const found = async (environment: Readonly<Record<string, string>>) => {
    const words = ['near', '--skip-codegen', '-c', 'lab']
    const { stdout, stderr } = await runHere(tool, words, { directory, environment })
    return /far\/leaf@(\d)/.exec(stdout)?.[1] ?? codesIn(stderr)
  }
  expect([await found({ HOME, MUROOT }), await found({ MUROOT }), await found({})]).toEqual(['1', '2', ['MU503']])
  expect(await found({ HOME: 'home', MUROOT: 'root' })).toEqual(['MU503'])
})

test('warnings stop nothing', async () => {
  write('shop/mu.yml', '')
  write('shop/Mu.txt', '')
  const { status, stderr } = await compile('shop', '--skip-codegen', '-c', 'lab')
  expect([status, stderr.match(/warning: MU\d+/g)]).toEqual([0, ['warning: MU102', 'warning: MU101']])
})

test('the target is chosen before the stack is read', async () => {
  write('shop/Mu.yaml', 'name: [')
  const { stderr } = await compile('shop', '--skip-codegen', '-c', 'lob')
  expect([codesIn(stderr), stderr]).toEqual([['MU124'], expect.stringContaining("did you mean 'lab'?")])
  expect(codesIn((await compile('shop')).stderr)).toEqual(['MU125'])
  expect(codesIn((await compile('shop', '-c', 'lab')).stderr)).toEqual(['MU603'])
})

const { directory: casesDirectory, cases } = stackCases()
const clouds = cases.flatMap(({ expect: { cloudformation }, ...one }) =>
  cloudformation === undefined ? [] : [{ ...one, cloudformation }],
)

test.each(clouds)('case $name becomes a template of CloudFormation', async ({ entry, options, cloudformation }) => {
  const { status, stdout, stderr } = await runHere(tool, [entry, ...options], { directory: casesDirectory })
  expect([status, stderr]).toEqual([0, expect.stringContaining('warning: MU106')])
  expect(stdout.split('\n')[0]).toBe(cloudformation.comment)
  const { value } = parseData(stdout, { file: 'stdout', language: 'yaml' })
  expect(
    JSON.parse(JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part))),
  ).toEqual(cloudformation.template)
})

test.each(['aws', 'aws:ecs'])('code is made for %s, and errors of the back end are told', async (target) => {
  write('net/Mu.yaml', 'name: net\nservices: { public: { a: { type: aws/x/cf, resource: R } } }\n')
  const { status, stdout } = await compile('net', '-t', target)
  expect([status, stdout.split('\n')[0]]).toEqual([0, '# MuStack-Anonymous-Net:'])
  const refused = await compile('shop', '-t', target)
  expect([refused.status, refused.stdout]).toEqual([65, ''])
  expect(refused.stderr).toMatch(/shop\/Mu.yaml:5:5: error: MU1000: the target 'aws' does not know 'mu\/container'/)
})
