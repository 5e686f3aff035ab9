import { environment } from '@davit/process'
import { openNativeStore } from '../../src/store.ts'
import { build, wantedBy } from '../package-specs.ts'

/** Makes packages in a store as davit-manifest would, and prints what it is doing. */
async function makePackages(directory: string, source: string, { counter = '', pause = '0.1' }): Promise<void> {
  const isolation = counter === '' ? {} : { isolation: { kind: 'none' } as const }
  const store = await openNativeStore({ directory, environment: environment(), ...isolation })
  const script = `${counter === '' ? '' : `echo "$name" >>${counter};`} sleep ${pause}; mkdir $out; cp -r $app $out/app; echo $out >$out/self`
  const lib = build('lib', script, { sources: { app: source }, env: { name: 'lib' } })
  const specs = ['a', 'b', 'c'].map((name) =>
    build(name, script, { inputs: { lib }, sources: { app: source }, env: { name } }),
  )
  console.log('instantiate')
  const packages = await store.instantiate(specs.map((spec) => wantedBy('web', spec)))
  const report = ({ kind }: { readonly kind: string }): void => console.log(kind)
  await store.realise(packages, { maxJobs: 2, report, signal: new AbortController().signal })
  const paths = await store.closure(packages.map(({ outPath }) => outPath))
  console.log(JSON.stringify(await store.registrations(paths)))
}

const [directory = '', source = '', counter, pause] = process.argv.slice(2)
const options = { ...(counter === undefined ? {} : { counter }), ...(pause === undefined ? {} : { pause }) }
makePackages(directory, source, options).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
