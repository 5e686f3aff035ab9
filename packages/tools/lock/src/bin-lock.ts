import { runTool } from '@davit/tool'

import { tool } from './lock.ts'

runTool(tool)
