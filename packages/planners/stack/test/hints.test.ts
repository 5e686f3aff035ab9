import { expect, test } from 'vitest'
import { chooseTarget, parseWorkspace, type StackFinding } from '../src/stack.ts'
import { compileTexts } from './testing.ts'

type Texts = Readonly<Record<string, string>>

/** What a user reads of errors. */
function told(texts: Texts, words: readonly string[] = []): readonly string[] {
  return compileTexts(texts, { words }).findings.map(shown)
}

function shown({ code, message, hint, place }: StackFinding): string {
  const { file = '', line, column } = place ?? {}
  return [`${file}${line === undefined ? '' : `:${line}:${column}`}: ${code} ${message}`, hint]
    .filter(Boolean)
    .join('; ')
}

function services(text: string): Texts {
  return { 'Mu.yaml': `name: a\nservices: { public: { ${text} } }\n` }
}

const TYPED =
  'name: a\nproperties: { n: { type: number, optional: true }, b: { type: bool, optional: true }, l: { type: "string[]", optional: true }, e: { type: { base: string, enum: [x, y] }, optional: true }, p: { type: Port, optional: true } }\nschema: { private: { Port: { base: number } } }\nservices: { public: { w: { type: mu/container } } }\n'

test.each([
  ['n=x', "<argument n>: MU508 expected 'number', but got 'string'; write a number, such as 8080 or 0.5"],
  ['p=x', "<argument p>: MU508 expected 'Port', but got 'string'; write a number, such as 8080 or 0.5"],
  ['b=yes', "<argument b>: MU508 expected 'bool', but got 'string'; write true or false"],
  [
    'l=[x]',
    "<argument l>: MU508 expected 'string[]', but got 'string'; arguments are text, numbers, true and false: only a stack that contains this one can give it anything else",
  ],
  ['e=z', "<argument e>: MU517 expected one of 'x', 'y', but got 'z'"],
  [
    '--dry-run',
    "<argument dry-run>: MU507 there is no property 'dry-run'; the stack has the properties 'b', 'e', 'l', 'n', 'p'; options of the command go before --",
  ],
  ['nn=1', "<argument nn>: MU507 there is no property 'nn'; did you mean 'n'?"],
  [
    '\u001B[2Jx=1',
    "<argument \\u001b[2Jx>: MU507 there is no property '\u001B[2Jx'; the stack has the properties 'b', 'e', 'l', 'n', 'p'; options of the command go before --",
  ],
])('the argument %j is told by its name, with what could be meant', (word, message) => {
  expect(told({ 'Mu.yaml': TYPED }, [word])).toEqual([message])
})

test.each([
  ['number', 'give it as an argument: -- size=VALUE'],
  ['service', 'only a stack that contains this one can give it a service'],
  ['mu/container', 'only a stack that contains this one can give it a service'],
  [
    '"string[]"',
    'arguments are text, numbers, true and false: only a stack that contains this one can give it anything else',
  ],
])('an argument of type %s that is missing is told with how it is given', (type, hint) => {
  const text = `name: a\nproperties: { size: { type: ${type} } }\nservices: { public: { w: { type: mu/container } } }\n`
  expect(told({ 'Mu.yaml': text })).toEqual([`Mu.yaml:1:7: MU506 the property 'size' is missing; ${hint}`])
})

test('a service on the command line is told with who can give it', () => {
  const text = 'name: a\nproperties: { s: { type: service } }\nservices: { public: { w: { type: mu/container } } }\n'
  expect(told({ 'Mu.yaml': text }, ['s=w'])).toEqual([
    "<argument s>: MU509 there is no service 'w'; only a stack that contains this one can give it a service",
  ])
})

test.each<readonly [string, Texts, string]>([
  [
    'a word for a table',
    services('w: mu/container'),
    "Mu.yaml:2:26: MU151 'w' must be a table, but is 'mu/container'; write { type: mu/container }",
  ],
  [
    'text for a list',
    services('w: { type: mu/container, command: sleep 1 }'),
    "Mu.yaml:2:57: MU508 expected 'string[]', but got 'string'; write a list: [A, B]",
  ],
  [
    'a list for a table',
    services('w: { type: mu/container, env: [A=B] }'),
    "Mu.yaml:2:53: MU508 expected 'map[string]any', but got 'list'; write a table: { A: B }",
  ],
  [
    'a number in quotes',
    services('w: { type: mu/container, port: "80" }'),
    "Mu.yaml:2:54: MU508 expected 'number', but got 'string'; write a number, such as 8080, without quotes",
  ],
  [
    'a path',
    services('w: { type: ./web }'),
    "Mu.yaml:2:34: MU503 there is no stack 'https://./web@latest'; references are no paths: they name directories below the workspace",
  ],
  [
    'a stack that nobody has',
    services('w: { type: acme/web }'),
    "Mu.yaml:2:34: MU503 there is no stack 'https://hub.mu.com/acme/web@latest'; no directory of the workspace has it, and no entry of its `repositories` is for it",
  ],
  [
    'a stack of a repository',
    { ...services('w: { type: acme/web }'), 'Muspace.yaml': 'repositories: { acme/...: "ssh://x/y" }' },
    "Mu.yaml:2:34: MU503 there is no stack 'https://hub.mu.com/acme/web@latest'; `repositories` of the workspace says where it is: davit-fetch-stacks fetches it",
  ],
  [
    'a volume that is linked',
    services('w: { type: mu/container, links: { d: "d:." } }, d: { type: mu/volume }'),
    "Mu.yaml:2:60: MU510 service 'd', of 'mu/volume', has no endpoint; a container mounts volumes that its `volumes` name",
  ],
  [
    'an endpoint that is not there',
    services('w: { type: mu/container, links: { d: "d:9" } }, d: { type: mu/container, ports: [1, 2] }'),
    "Mu.yaml:2:60: MU512 service 'd', of 'mu/container', has no endpoint '9'; it has '1', '2'",
  ],
  [
    'an argument that only has a default',
    { 'Mu.yaml': 'name: a\nproperties: { p: { type: any, default: 1 } }\ndescription: "{{.args.p}}"\n' },
    'Mu.yaml:3:22: MU153 there is no field \'p\'; give it as an argument: -- p=VALUE; or, since templates see arguments as they are given, without defaults: write {{orElse .args "p" DEFAULT}}',
  ],
  [
    'an argument whose name is another one',
    {
      ...services('w: { type: b, q: 1, o: 2 }'),
      'b/Mu.yaml': 'name: b\ndescription: "{{.args.p}}"\n',
    },
    "b/Mu.yaml:2:22: MU153 there is no field 'p'; give service 'w' a 'p'; or, since templates see arguments as they are given, without defaults: write {{orElse .args \"p\" DEFAULT}}; given: 'o', 'q'; this is the stack of service 'w', Mu.yaml:2",
  ],
  [
    'a field of something else',
    { 'Mu.yaml': 'name: a\ndescription: "{{.meta.nam}} {{.meta.version}}"\n' },
    "Mu.yaml:2:22: MU153 there is no field 'nam'; did you mean 'name'?",
  ],
  [
    'a schema with a type instead of a base',
    { 'Mu.yaml': 'name: a\nschema: { private: { T: { type: string } } }\n' },
    "Mu.yaml:2:27: MU104 unknown key 'type'; did you mean 'base'?",
  ],
  [
    'a schema without anything',
    { 'Mu.yaml': 'name: a\nschema: { private: { T: { pattern: x } } }\n' },
    'Mu.yaml:2:22: MU156 the type is missing; write `base`, such as string, or `properties` for tables',
  ],
  ...Object.entries({
    int: "did you mean 'number'?",
    String: "did you mean 'string'?",
    Text: "did you mean 'string'?",
    list: 'types of lists are written T[], such as string[]',
    dict: 'types of tables are written map[string]T, such as map[string]any, or are schemas',
  }).map(([word, hint]): readonly [string, Texts, string] => [
    `the type ${word}`,
    { 'Mu.yaml': `name: a\nproperties: { p: { type: ${word}, optional: true } }\n` },
    `Mu.yaml:2:26: MU503 there is no stack 'https://hub.mu.com/${word}@latest'; ${hint}`,
  ]),
  [
    'a service that is called like a type elsewhere',
    services('list: {}'),
    "Mu.yaml:2:23: MU503 there is no stack 'https://hub.mu.com/list@latest'; no directory of the workspace has it, and no entry of its `repositories` is for it",
  ],
  [
    'a version that is none, of a reference',
    services('w: { type: "acme/db@v1.0.0" }'),
    "Mu.yaml:2:34: MU156 'acme/db@v1.0.0' is no reference to a stack; versions are asked for as latest, 1.2.3, ^1.2.3, ~1.2.3, '>=1.0.0 <2.0.0', or a commit of 7 or 40 digits",
  ],
  [
    'a version that is not here',
    { ...services('w: { type: b@2.0.0 }'), 'b/Mu.yaml': 'name: b\nversion: 1.0.0\n' },
    "Mu.yaml:2:34: MU605 no version of 'b' fits '2.0.0': '1.0.0' was found; ask for 1.0.0, or let davit-fetch-stacks fetch what is asked for",
  ],
  [
    'a property that is declared again with another type',
    {
      'Mu.yaml': 'name: a\nbase: b\nproperties: { p: { type: string } }\n',
      'b/Mu.yaml':
        'name: b\nproperties: { p: { type: number } }\nservices: { public: { w: { type: mu/container } } }\n',
    },
    "Mu.yaml:3:26: MU508 expected 'number', but got 'string'; 'p' of the base is 'number': it can be declared again with that type, or a narrower one",
  ],
  [
    'a comma that is missing before a key',
    services('w: { type: mu/container command: [x] }'),
    "Mu.yaml:2:34: MU151 unexpected ': ' or '- ' after this, within brackets; a `{` or `[` before this is not closed, or a comma is missing, or text with brackets or `: ` is without quotes",
  ],
  [
    'a comma that is missing behind a table',
    { 'Mu.yaml': 'a: { b: { c: 1 } d: { e: 1 } }\n' },
    'Mu.yaml:1:18: MU151 unexpected scalar at node end; a `{` or `[` before this is not closed, or a comma is missing, or text with brackets or `: ` is without quotes',
  ],
  [
    'a comma that is missing between short lines',
    { 'Mu.yaml': 'properties: {\n  a: b\n  c: d\n}\n' },
    "Mu.yaml:2:6: MU151 unexpected ': ' or '- ' after this, within brackets; a `{` or `[` before this is not closed, or a comma is missing, or text with brackets or `: ` is without quotes",
  ],
  [
    'text with brackets',
    { 'Mu.yaml': 'name: a\nproperties: { p: { type: map[string] } }\n' },
    'Mu.yaml:2:29: MU151 unexpected flow-seq-start at node end; a `{` or `[` before this is not closed, or a comma is missing, or text with brackets or `: ` is without quotes',
  ],
  ['a bracket too many', { 'Mu.yaml': 'name: a\nservices: { } }\n' }, "Mu.yaml:2:15: MU151 this '}' closes nothing"],
  [
    'a cycle',
    services('w: { type: mu/gateway, targets: [v] }, v: { type: mu/gateway, targets: [w] }'),
    "Mu.yaml:2:62: MU600 services wait for each other: 'a/v', 'a/w'; one of them must not name the others",
  ],
])('%s is told with what to write instead', (_, texts, message) => {
  expect(told(texts)).toContain(message)
})

test('a version that is none is told in the workspace with how they are written', () => {
  const { findings } = parseWorkspace({ name: 'Muspace.yaml', text: 'dependencies: { b: v1.0.0 }' })
  expect(findings.map(shown)).toEqual([
    "Muspace.yaml:1:20: MU156 'v1.0.0' is no version that 'b' could have; versions are asked for as latest, 1.2.3, ^1.2.3, ~1.2.3, '>=1.0.0 <2.0.0', or a commit of 7 or 40 digits",
  ])
})

test('a name that occurs twice is told with where else it is', () => {
  const text = 'name: a\nservices:\n  private: { w: { type: mu/volume } }\n  public: { w: { type: mu/volume } }\n'
  expect(told({ 'Mu.yaml': text })).toEqual([
    "Mu.yaml:4:13: MU502 'w' occurs twice; the other one is at Mu.yaml:3:14; names are unique in a file, private and public ones together",
  ])
})

test('services without a section are told with where they belong', () => {
  expect(told({ 'Mu.yaml': 'name: a\nservices: { w: { type: mu/volume } }\n' })[0]).toBe(
    "Mu.yaml:2:13: MU104 unknown key 'w'; everything in 'services' is below 'private' or 'public' in it",
  )
})

test('what an action makes of the text around it is told at the action', () => {
  const text = 'name: a\nservices: { public: { w: { type: mu/container, env: { A: {{.args.a}} } } } }\n'
  const [message] = told({ 'Mu.yaml': text }, ['a=x: y: z'])
  expect(message).toMatch(/^Mu\.yaml:2:5\d: MU151 .*; what the action here gives .* \| quote/)
  const [other] = told({ 'Mu.yaml': `${text}x: [\n` }, ['a=1'])
  expect(other).not.toContain('action')
})

const WORKSPACE = 'clusters: { test: { infrastructure: i }, cloud: { cloud: aws } }'

test.each([
  [
    { target: 'aws', cluster: 'test' },
    "MU123 the target 'aws' is not that of cluster 'test', which is 'machines'; -c chooses a cluster for it: 'cloud'",
  ],
  [
    { target: 'gcp', cluster: 'test' },
    "MU123 the target 'gcp' is not that of cluster 'test', which is 'machines'; omit -c or the target",
  ],
  [{}, "MU125 there is no target to make code for; name a cluster with -c: 'cloud', 'test'"],
])('the choice %j is told with the clusters that there are', (choice, message) => {
  const { workspace } = parseWorkspace({ name: 'Muspace.yaml', text: WORKSPACE })
  const given = { cluster: undefined, target: undefined, hasInfrastructure: false, skipsCode: false, ...choice }
  const { findings } = chooseTarget(workspace, given)
  expect(findings.map((one) => shown(one).replace(/^.*?: /, ''))).toEqual([message])
})
