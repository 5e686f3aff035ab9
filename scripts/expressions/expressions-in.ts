import { parseAst } from 'rolldown/parseAst'

/** A regular expression in a source: undefined if it is only known when the program runs. */
export interface Expression {
  readonly line: number
  readonly pattern: string | undefined
  readonly flags: string
}

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>

/** Finds the regular expressions of a source: literals, and what `RegExp` is called with. */
export function expressionsIn(text: string, file: string): readonly Expression[] {
  const program = parseAst(text, { lang: file.endsWith('ts') ? 'ts' : 'js' }, file)
  const nodes = [...nodesIn(program)]
  const constants = new Map(nodes.flatMap(constantIn))
  return nodes.flatMap((node) => {
    const line = text.slice(0, node.start).split('\n').length
    if (node['regex'] !== undefined) return [{ line, ...(node['regex'] as { pattern: string; flags: string }) }]
    if (!isCallOfRegExp(node)) return []
    const [pattern, flags] = (node['arguments'] as readonly Node[]).map((argument) => textOf(argument, constants))
    return [{ line, pattern, flags: flags ?? '' }]
  })
}

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if (typeof (value as Node).type === 'string') yield value as Node
  for (const part of Object.values(value)) yield* nodesIn(part)
}

function isCallOfRegExp({ type, callee }: Node): boolean {
  return (type === 'NewExpression' || type === 'CallExpression') && (callee as Node)['name'] === 'RegExp'
}

/** Constants that are texts, in the order in which they are stated. */
function constantIn({ type, id, init }: Node): readonly (readonly [string, Node])[] {
  return type === 'VariableDeclarator' && init ? [[String((id as Node)['name']), init as Node]] : []
}

function textOf(node: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? node['value'] : undefined
    case 'Identifier': {
      const constant = constants.get(String(node['name']))
      return constant && textOf(constant, constants)
    }
    case 'TaggedTemplateExpression':
      return templateText(node['quasi'] as Node, 'raw', constants)
    case 'TemplateLiteral':
      return templateText(node, 'cooked', constants)
    default:
      return undefined
  }
}

function templateText(node: Node, kind: 'raw' | 'cooked', constants: ReadonlyMap<string, Node>): string | undefined {
  const parts = (node['expressions'] as readonly Node[]).map((part) => textOf(part, constants))
  if (parts.includes(undefined)) return undefined
  const texts = (node['quasis'] as readonly { value: { raw: string; cooked: string } }[]).map(
    ({ value }) => value[kind],
  )
  return texts.map((text, index) => text + (parts[index] ?? '')).join('')
}
