export {
  defineTool,
  type Example,
  type HelpSection,
  type Tool,
  type ToolDefinition,
  type ToolDescription,
} from './define-tool.ts'
export { directOf } from './direct-of.ts'
export { directOptions } from './direct-options.ts'
export { activityOptions, confirmOptions, lockOptions } from './lock-options.ts'
export { copyOptions, directionOf } from './copy-direction.ts'
export {
  infrastructureOf,
  type InfrastructureArguments,
  type LoadInfrastructure,
  onlyTarget,
  onlyTargets,
} from './infrastructure-of.ts'
export {
  type ArgumentsOf,
  camelCase,
  type Operand,
  type OperandTable,
  type Option,
  type OptionTable,
} from './option.ts'
export { isGiven } from './refuse-excluded.ts'
export { noService } from './no-service.ts'
export { planOptions } from './plan-options.ts'
export { addToOrigin, encodeOrigin, handOn, readOrigin } from './origin-file.ts'
export { renderEvent, type ShownEvent } from './render-event.ts'
export { renderHelp } from './render-help.ts'
export { optionsFor } from './options-for.ts'
export { withVariables } from './create-run.ts'
export type { Steps, WorkAround } from './run-steps.ts'
export { renderTable } from './render-table.ts'
export { runTool } from './run-tool.ts'
export {
  formatOptions,
  infrastructureOptions,
  interfaceOptions,
  moduleOptions,
  askOnOptions,
  onOptions,
  originalOptions,
  originOptions,
  outputOptions,
  profileOptions,
  stackProfileOptions,
  skipOptions,
  transferOptions,
  trustBuildOptions,
} from './shared-options.ts'
export {
  buildEnvironment,
  connectionEnvironment,
  secretEnvironment,
  sizeEnvironment,
  storeEnvironment,
} from './environments.ts'
export { hashOfManifest, type JournalledRun, type JournalPurpose } from './run-journal.ts'
export { manifestOfTargets, onSelectedTargets, selectionFor } from './selection-for.ts'
export { onSelected, refuseMore, selectionIn } from './selection-in.ts'
export { bytesIn } from './bytes-in.ts'
export { secondsIn } from './seconds-in.ts'
export { parseSince } from './since.ts'
export { stateDirectory, stateEnvironment } from './state-directory.ts'
export type {
  DocumentInput,
  Environment,
  ForegroundCommand,
  Input,
  Rendering,
  Run,
  StepContext,
  ToolContext,
} from './tool-context.ts'
export { unlessInterrupted } from './unless-interrupted.ts'
export { dashed, givenOptions } from './given-options.ts'
export { version } from './version.ts'
export {
  findTargetSource,
  type SourceArguments,
  targetSource,
  type TargetSource,
  trustedManifests,
} from './target-source.ts'
export { usageError } from './usage-error.ts'
export { type AdoptionMachines, adoptionMachines } from './state-machines.ts'
export { type DeploymentArguments, type ReachedDeployment, withDeployment } from './with-deployment.ts'
export { deploymentOf, type NamedDeployment } from './deployment-of.ts'
export { trustOptions } from './trust-options.ts'
export { callable, refuseStrangePrograms, strangeModule, type Trust, trustToLook, trustUnless } from './trust.ts'
export { type OpenMachine, withTargets } from './with-targets.ts'
