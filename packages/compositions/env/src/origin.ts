import type { MadeFrom } from '@davit/documents'
import { givenOptions, version } from '@davit/tool'

import { options, type Order } from './options.ts'
import { DEFAULT_PROFILE } from './profile-of-order.ts'

/** Describes an order that begins now. */
export function originOf(order: Order, directory: string): MadeFrom {
  const given = { ...order, profile: order.profile === DEFAULT_PROFILE ? undefined : order.profile }
  const began = new Date().toISOString()
  return { davit: version, order: { tool: 'davit-env', began, directory, options: givenOptions(options, given) } }
}
