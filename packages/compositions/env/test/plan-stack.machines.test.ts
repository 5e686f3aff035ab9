import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { scratchDirectory } from '@davit/testing/scratch'
import { runHere } from '@davit/tool/testing'
import { beforeEach, expect, test } from 'vitest'

import { plan } from '../src/plan/plan.ts'

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
  write('Muspace.yaml', 'clusters: { test: { default: true, infrastructure: machines.yaml } }\n')
  write('machines.yaml', 'here: { clientInterface: local, properties: { hostname: h }, containers: { process: {} } }\n')
  write(
    'shop/Mu.yaml',
    'name: shop\nproperties: { text: { type: string } }\nservices: { public: { web: { type: mu/container, command: [echo, {{.args.text}}] } } }\n',
  )
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), text)
}

async function planned(...words: readonly string[]) {
  const environment = {
    DAVIT_STATE_DIR: join(directory, 'state'),
    DAVIT_STORE_DIR: join(directory, 'store'),
    TMPDIR: directory,
  }
  return runHere(plan, words, { directory, environment })
}

test('davit-plan --stack shows what deploying a stack would change', async () => {
  const { status, stdout } = await planned('--stack', 'shop', '--', 'text=hello')
  expect([status, stdout]).toEqual([2, expect.stringContaining('+ activate shop.web in process on here (new)')])
})

test('davit-plan --stack tells what is wrong with a stack, and ends as davit-compile-stack does', async () => {
  const { status, stdout, stderr } = await planned('--stack', 'shop', '--', 'txt=hello')
  expect([status, stdout, stderr]).toEqual([65, '', expect.stringContaining('error: MU153')])
  const mixed = await planned('--stack', 'shop', '-A', 'a')
  expect([mixed.status, mixed.stderr]).toEqual([64, expect.stringContaining("options '--stack' and '--architecture'")])
})
