export { defineTool, type Example, type Tool, type ToolDefinition } from './define-tool.ts'
export type { ArgumentsOf, Operand, OperandTable, Option, OptionTable } from './option.ts'
export { runTool } from './run-tool.ts'
export {
  formatOptions,
  interfaceOptions,
  outputOptions,
  profileOptions,
  stateOptions,
  transferOptions,
} from './shared-options.ts'
export { stateDirectory } from './state-directory.ts'
export type { DocumentInput, Environment, ForegroundCommand, Input, ToolContext } from './tool-context.ts'
export { usageError } from './usage-error.ts'
