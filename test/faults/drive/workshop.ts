import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installFaulty } from '../inject/build.ts'
import { laboratory, type Laboratory } from './laboratory.ts'
import { makeSystem } from './system.ts'

export interface Laboratories {
  readonly laboratories: readonly [Laboratory, ...Laboratory[]]
  close(): Promise<void>
}

/** Opens laboratories, each with its own hosts. The caller has to close them. */
export async function openLaboratories({
  prefix,
  count,
}: {
  readonly prefix: string
  readonly count: number
}): Promise<Laboratories> {
  const faulty = await mkdtemp(join(tmpdir(), 'davit-faulty-'))
  const laboratories: Laboratory[] = []
  const close = async () => {
    await Promise.all(laboratories.map(({ system }) => system.remove()))
    await rm(faulty, { recursive: true, force: true })
  }
  try {
    await installFaulty(prefix, faulty)
    const making = Array.from({ length: count }, async () => {
      laboratories.push(laboratory(await makeSystem({ prefix, faulty })))
    })
    const failed = (await Promise.allSettled(making)).find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const [first, ...others] = laboratories
    if (first === undefined) throw new Error('there is no laboratory')
    return { laboratories: [first, ...others], close }
  } catch (error) {
    await close()
    throw error
  }
}
