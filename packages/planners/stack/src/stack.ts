export { type Origin, originOf } from './references/origin-of.ts'
export { completed, NO_PINS, type Pins } from './references/pins.ts'
export {
  FETCHED,
  isBelowFetched,
  MUFILES,
  placesOf,
  type StackPlace,
  type StackRoots,
  WORKSPACE_FILES,
} from './references/places.ts'
export {
  baseAndName,
  canonical,
  DEFAULT_BASE,
  DEFAULT_PROTOCOL,
  type FullReference,
  isName,
  parseReference,
  type Reference,
  simpleName,
  withoutSpec,
} from './references/reference.ts'
export { scanMetadata } from './references/scan-metadata.ts'
export {
  compareVersions,
  type FoundVersion,
  isSemanticVersion,
  isVersion,
  parseSpec,
  satisfies,
  type Spec,
} from './references/spec.ts'
export { CODES, type StackCode } from './codes.ts'
export { finding, type FindingDetails, placeOf, type Spot, type StackFinding } from './finding.ts'
export { languageOf } from './references/language-of.ts'
export { type StackValue } from './values/stack-value.ts'
export {
  type ChosenTarget,
  chooseTarget,
  CLOUDS,
  type StackTarget,
  type TargetChoice,
} from './workspace/choose-target.ts'
export { parseWorkspace, type WorkspaceReading } from './workspace/parse-workspace.ts'
export { type Cluster, NO_WORKSPACE, type Repository, UNREAD_WORKSPACE, type Workspace } from './workspace/workspace.ts'
export {
  type Compilation,
  type CompileOptions,
  type FileReading,
  type MissingStack,
  type StackFiles,
} from './compilation.ts'
export { type CompiledStack, type CompileOutcome, compileStack, nameOfStack, propertyNames } from './compile-stack.ts'
export { type Instance, publicChildren, stackOf } from './instances/instance.ts'
export { parseArguments, readArguments, type RootArgument } from './instances/root-arguments.ts'
export { type BoundValue, type Capability, capabilitiesIn, isCapability } from './values/bound-value.ts'
export { fileOfArgument, portsOf } from './values/ports-of.ts'
export { isNamed } from './values/resolve-capability.ts'
export { placeOfKey, placeOfValue } from './values/written-place.ts'
export { acceptFindings, type Emission, stackRefusal, unknownIntrinsics } from './refusal.ts'
export { type StackFile } from './resolution/stack-file.ts'
export { compiledDocument } from './output/compiled-document.ts'
