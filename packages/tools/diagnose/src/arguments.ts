import type { ArgumentsOf } from '@davit/tool'

import type { description } from './description.ts'

export type Arguments = ArgumentsOf<typeof description.options, typeof description.operands>
