import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measure } from './measure.ts'
import { type Line, timeRow, withAims, workRow } from './table.ts'
import { inTurn, roomFor, type Workplace } from './workplace.ts'

export interface FetchTerms {
  readonly name: string
  readonly runs: number
  readonly stacks: number
  /** Files of each stack. */
  readonly files: number
  readonly commits: number
  /** Aim as a multiple of `git clone` of the same repository. */
  readonly limit: number
}

/** Measures fetching all stacks of a repository, beside a clone of it with its files. */
export async function benchFetch(place: Workplace, terms: FetchTerms): Promise<readonly Line[]> {
  const { name, runs, stacks, files, limit } = terms
  const directory = roomFor(place, name)
  const environment = { ...place.environment, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' }
  const options = { directory, environment }
  await makeRepository(options, terms)
  const shop = join(directory, 'shop')
  writeWorkspace(shop, { url: `file://${directory}/repository`, stacks })
  const [fetched, cloned]: [Measurement[], Measurement[]] = [[], []]
  await inTurn(place, runs, {
    async davit() {
      rmSync(join(shop, '.Mudeps'), { recursive: true, force: true })
      fetched.push(await measure([join(place.bin, 'davit-fetch-stacks'), shop], options))
    },
    async baseline() {
      rmSync(join(directory, 'clone'), { recursive: true, force: true })
      cloned.push(await measure(['git', 'clone', '-q', `file://${directory}/repository`, 'clone'], options))
    },
  })
  const what = `fetch ${stacks} stacks of ${files} files from one repository`
  return [withAims(timeRow(what, fetched, cloned), { ratio: limit }), workRow(fetched, cloned)]
}

type Options = Parameters<typeof measure>[1]

async function makeRepository(options: Options, { stacks, files, commits }: FetchTerms): Promise<void> {
  const repository = join(options.directory, 'repository')
  const git = (...words: readonly string[]) =>
    measure(['git', '-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], options)
  mkdirSync(repository)
  await git('init', '-q')
  for (let commit = 0; commit < commits; commit += 1) {
    for (let index = 0; index < stacks; index += 1) {
      const directory = join(repository, `s${index}`)
      mkdirSync(directory, { recursive: true })
      // Like programs and images, which cannot be compressed much.
      for (let file = 0; file < files; file += 1) {
        writeFileSync(join(directory, `f${file}`), randomBytes(6_000).toString('base64'))
      }
      writeFileSync(
        join(directory, 'Mu.yaml'),
        `name: bench/s${index}\nservices: { public: { c: { type: mu/container } } }\n`,
      )
    }
    await git('add', '-A')
    await git('commit', '-qm', 'x')
  }
}

function writeWorkspace(shop: string, { url, stacks }: { readonly url: string; readonly stacks: number }): void {
  mkdirSync(shop)
  writeFileSync(join(shop, 'Muspace.json'), JSON.stringify({ repositories: { 'bench/...': url } }))
  const services = Array.from({ length: stacks }, (_, index) => [`s${index}`, { type: `bench/s${index}` }])
  writeFileSync(
    join(shop, 'Mu.json'),
    JSON.stringify({ name: 'shop', services: { public: Object.fromEntries(services) } }),
  )
}
