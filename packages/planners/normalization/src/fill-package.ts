import type { Path } from '@davit/diagnostics'
import type { BuildSpec, PackageSpec } from '@davit/documents'

/** Replaces the references of one template; `path` is its path in the package. */
export type Fill = (template: string, path: Path) => string

/** Replaces the references in the name and environment of a package and of its inputs. */
export function fillPackage(spec: PackageSpec, fill: Fill, path: Path = []): PackageSpec {
  switch (spec.kind) {
    case 'present':
    case 'expression':
      return spec
    case 'source':
      return spec.name === undefined ? spec : { ...spec, name: fill(spec.name, [...path, 'name']) }
    case 'build':
      return fillBuild(spec, fill, [...path, 'build'])
  }
}

function fillBuild(spec: BuildSpec, fill: Fill, path: Path): BuildSpec {
  return {
    ...spec,
    name: fill(spec.name, [...path, 'name']),
    env: new Map([...spec.env].map(([name, value]) => [name, fill(value, [...path, 'env', name])])),
    inputs: new Map(
      [...spec.inputs].map(([name, input]) => [name, fillPackage(input, fill, [...path, 'inputs', name])]),
    ),
  }
}
