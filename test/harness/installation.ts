import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Prefix under which davit is installed, so that the tests run what users run. */
    readonly prefix: string
  }
}

/** Installs davit for the tests, unless `DAVIT_TEST_PREFIX` names an installation of the same source. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { DAVIT_TEST_PREFIX: given } = process.env
  if (given !== undefined && given !== '') {
    provide('prefix', given)
    return undefined
  }
  const prefix = await mkdtemp(join(tmpdir(), 'davit-installed-'))
  await chmod(prefix, 0o755)
  const install = fileURLToPath(new URL('../../scripts/install', import.meta.url))
  await promisify(execFile)(install, ['--prefix', prefix])
  provide('prefix', prefix)
  return () => rm(prefix, { recursive: true, force: true })
}
