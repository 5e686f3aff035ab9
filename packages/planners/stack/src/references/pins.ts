import { DEFAULT_BASE, DEFAULT_PROTOCOL, type FullReference, type Reference } from './reference.ts'

/** Specs of references that have none of their own, as the workspace pins them. */
export interface Pins {
  /** By base and name. */
  readonly stacks: ReadonlyMap<string, string>
  /** By base and namespace, which ends with `/`. */
  readonly namespaces: ReadonlyMap<string, string>
}

export const NO_PINS: Pins = { stacks: new Map(), namespaces: new Map() }

/** Fills in defaults, and the spec: its own, else that of the workspace, else `latest`. */
export function completed({ protocol, base, name, spec }: Reference, pins: Pins): FullReference {
  const full = { protocol: protocol ?? DEFAULT_PROTOCOL, base: base ?? DEFAULT_BASE, name }
  return { ...full, spec: spec ?? pinFor(`${full.base}${name}`, pins) ?? 'latest' }
}

/** The longest namespace wins. */
function pinFor(stack: string, { stacks, namespaces }: Pins): string | undefined {
  const exact = stacks.get(stack)
  if (exact !== undefined) return exact
  for (let end = stack.lastIndexOf('/'); end > 0; end = stack.lastIndexOf('/', end - 1)) {
    const pinned = namespaces.get(stack.slice(0, end + 1))
    if (pinned !== undefined) return pinned
  }
  return undefined
}
