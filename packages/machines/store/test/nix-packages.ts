import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExpressionProgram, ExpressionSpec, InstantiatedPackage, PackageSpec } from '@davit/documents'
import type { PrivateNix } from '@davit/testing/private-nix'
import { type NixStore, openStore } from '../src/store.ts'
import { wantedBy } from './package-specs.ts'
import { quietly } from './temporary-store.ts'

export async function nixStore(nix: Pick<PrivateNix, 'environment'>): Promise<NixStore> {
  const store = await openStore({ kind: 'nix', directory: '/nix/store' }, nix)
  if (store.kind === 'native') throw new Error('not the store that was asked for')
  return store
}

export async function instantiatedIn(
  store: NixStore,
  ...specs: readonly PackageSpec[]
): Promise<readonly InstantiatedPackage[]> {
  return store.instantiate(specs.map((spec) => wantedBy('web', spec)))
}

export async function realisedIn(
  store: NixStore,
  ...specs: readonly PackageSpec[]
): Promise<readonly InstantiatedPackage[]> {
  const packages = await instantiatedIn(store, ...specs)
  await store.realise(packages, quietly())
  return packages
}

/** A program whose packages are attributes of a set, by name; written as Nix. */
export function expressionProgram(nix: PrivateNix, attributes: string): ExpressionProgram {
  const file = join(nix.directory, 'program.nix')
  writeFileSync(
    file,
    `{ input }:
    let
      make = name: script: more: derivation ({
        inherit name; system = "x86_64-linux"; builder = "/bin/sh"; args = [ "-c" script ];
      } // more);
      all = rec { ${attributes} };
      selected = map (name: all.\${name}) (builtins.fromJSON (builtins.readFile input)).selections;
      drvOf = package: builtins.unsafeDiscardOutputDependency package.drvPath;
    in {
      packages = map (package: { out = "\${package}"; drv = if package ? drvPath then drvOf package else null; }) selected;
      roots = builtins.toFile "roots" (toString (map (package: package.root or (drvOf package)) selected));
    }`,
  )
  return { file, input: {}, expressions: new Map(), showTrace: false }
}

export function selected(program: ExpressionProgram, selection: string): ExpressionSpec {
  return { kind: 'expression', program, selection }
}
