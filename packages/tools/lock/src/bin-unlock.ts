import { runTool } from '@davit/tool'

import { tool } from './unlock.ts'

runTool(tool)
