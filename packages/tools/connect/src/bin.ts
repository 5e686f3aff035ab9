import { runTool } from '@davit/tool'

import { tool } from './main.ts'

runTool(tool)
