import { keepMemorySmall, runTool } from '@davit/tool'

import { tool } from './main.ts'

keepMemorySmall()
runTool(tool)
