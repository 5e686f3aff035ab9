import { readdirSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { meaningOf, recordStates } from '../src/verbs.ts'
import { REFUSALS } from '../src/refusals.ts'
import { operation, type OperationName, OPERATIONS, operationsOf, type Role } from '../src/operations.ts'

const NAMES = Object.keys(OPERATIONS) as readonly OperationName[]
const directory = new URL('../runtime/', import.meta.url)
const runtime = readdirSync(directory)
  .map((name) => readFileSync(new URL(name, directory), 'utf8'))
  .join('\n')

test.each(NAMES)('%s takes the fields of its row in the table', (name) => {
  // The comment `# operation_NAME FIELDS: what it does`, in one or more lines, is directly above the function.
  const above = new RegExp(`\n# operation_${name}((?: [^:;,\n]*)?)[:;,].*\n(?:#.*\n)*operation_${name}\\(\\) {`)
  const [, comment = 'none'] = above.exec(runtime) ?? []
  expect(comment.trim()).toBe(operation(name).fields)
})

test('a helper refuses with the codes of the table only, and with each of them', () => {
  const codes = [...runtime.matchAll(/(?<=^[^#\n].*)\bfail ([a-z][a-z-]+) ['"$]/gm)].map(([, code = '']) => code)
  expect([...new Set(codes)].toSorted()).toEqual(REFUSALS)
})

test('docs/operations.md is generated from the tables', async () => {
  await expect(operationsPage()).toMatchFileSnapshot('../../../../docs/operations.md')
})

const ROLES = [
  ['deploy', 'davit-lock, davit-unlock, davit-activate and davit-set'],
  ['carry', 'davit-distribute, davit-delegate-build and davit-copy-closure'],
  ['collect', 'davit-collect-garbage'],
  ['state', 'tools that take, move and restore snapshots, on targets and on the coordinator'],
  ['adopt', 'davit-adopt, and of davit-set with --original-profile'],
  ['trial', 'davit-activate with --confirm'],
  ['confirm', 'davit-activate with --confirm, over new connections'],
  ['query', 'davit-query'],
  ['check', 'davit-doctor'],
  ['logs', 'davit-logs'],
] as const satisfies readonly (readonly [Role, string])[]

function operationsPage(): string {
  const shared = NAMES.filter((name) => ROLES.every(([role]) => operation(name).roles.includes(role)))
  const own = ROLES.map(([role, tools]) => {
    const names = operationsOf(role).filter((name) => !shared.includes(name))
    return `## Role \`${role}\`\n\nHelpers of ${tools}.\n\n${tableOf(names)}`
  })
  return [INTRODUCTION, `## All roles\n\n${tableOf(shared)}`, ...own, STATES].join('\n')
}

const INTRODUCTION = `# Operations of targets

A helper on a target answers requests. Each is a line \`ID OPERATION FIELD…\` (see
[the target protocol](architecture.md#the-target-protocol)). A helper is started for one role and has only the operations of that
role. Fields in brackets are optional; dots mark those that may be repeated. The last column of the tables has these marks:

- *later*: an activity, which is answered immediately and reports its end later
- *again*: a request that is repeated if its answer was lost with the connection
- a number: the factor by which the helper may be silent for longer than usual before it answers

This page is generated from the tables in \`packages/shipped/target-runtime/src/operations.ts\` and \`verbs.ts\` by their test
(\`npx vitest run --project unit packages/shipped/target-runtime/test/operations.test.ts -u\`).
`

const STATES = `## States of a record

Possible first lines of the file \`state\` (see [Records](architecture.md#the-target-protocol)).

| state | the service |
|---|---|
${recordStates()
  .map((state) => `| \`${state}\` | ${meaningOf(state)} |\n`)
  .join('')}`

function tableOf(names: readonly OperationName[]): string {
  const rows = names.map((name) => {
    const { fields, does, slowness, isRepeatable, endsLater } = operation(name)
    const traits = [endsLater && 'later', isRepeatable && 'again', slowness && `${slowness}×`].filter(Boolean)
    const words = fields === '' ? '' : ` ${fields.replaceAll('|', '\\|')}`
    return `| \`${name}${words}\` | ${does} | ${traits.join(', ')} |\n`
  })
  return `| operation | what it does | marks |\n|---|---|---|\n${rows.join('')}`
}
