import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StackSize {
  readonly instances: number
  /** How deep instances nest, the root and the leaves included. */
  readonly levels: number
}

/** Leaves of each composite, each with two links. */
const LEAVES = 4
const STACKS = 40

/**
 * Writes a workspace in which the root has many equal branches: in each, a stack of every level holds the next one and some leaves. So
 * there are as many instances, links and stacks whether the tree is deep or flat.
 */
export function writeStacks(directory: string, { instances, levels }: StackSize): void {
  const depth = levels - 2
  const kinds = Math.max(1, Math.floor(STACKS / depth))
  const branches = Math.round(instances / (depth * (1 + LEAVES)))
  writeFileSync(join(directory, 'Muspace.yaml'), '')
  for (let kind = 0; kind < kinds; kind += 1) {
    for (let level = 1; level <= depth; level += 1) {
      const name = `level${level}_${kind}`
      mkdirSync(join(directory, name))
      writeFileSync(
        join(directory, name, 'Mu.yaml'),
        stackOf(name, level < depth ? `level${level + 1}_${kind}` : undefined),
      )
    }
  }
  const services = Array.from(
    { length: branches },
    (_, branch) => `    b${branch}: { type: level1_${branch % kinds}, tag: t${branch % 7} }`,
  )
  writeFileSync(join(directory, 'Mu.yaml'), `name: root\nservices:\n  public:\n${services.join('\n')}\n`)
}

function stackOf(name: string, next: string | undefined): string {
  const leaves = Array.from({ length: LEAVES }, (_, leaf) => {
    const links = [1, 2].map((step) => `l${step}: leaf${leaf + step}`).filter((link) => !/[4-9]$/.test(link))
    return `    leaf${leaf}: { type: mu/container, port: ${8000 + leaf}, env: { TAG: "{{.Properties.tag}}" }, links: { ${links.join(', ')} } }`
  })
  return [
    `name: ${name}`,
    'properties: { tag: { type: string }, up: { type: service, optional: true } }',
    'services:',
    '  private:',
    ...leaves.slice(0, -1),
    ...(next === undefined ? [] : [`    next: { type: ${next}, tag: "{{.Properties.tag}}", up: leaf0 }`]),
    '  public:',
    ...leaves.slice(-1),
    '',
  ].join('\n')
}
