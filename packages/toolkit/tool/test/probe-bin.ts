import { runTool } from '../src/run-tool.ts'
import { probeTool } from './probe-tool.ts'

runTool(probeTool, async () => probeTool)
