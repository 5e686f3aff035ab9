export {
  CLIENT_OPERATIONS,
  type CarriedModule,
  type ClientOperation,
  type ClientScript,
  clientScript,
} from './client-script.ts'
export { decodeField, encodeBytes, encodeField } from './field.ts'
export {
  type AdoptedPath,
  adoptScript,
  buildServerScript,
  directSenderScript,
  senderScript,
} from './native-build-script.ts'
export { operation, type OperationName, OPERATIONS, operationsOf, type Role, SLOW } from './operations.ts'
export { REFUSALS } from './refusals.ts'
export type { ActivityRequestOf, RequestOf } from './request.ts'
export {
  clientModule,
  executableScript,
  type HelperText,
  helperText,
  type HelperToStart,
  loaded,
  type NixOperation,
  nixScript,
  type OriginalLockScript,
  originalLockScript,
  receiverScript,
  runtimePart,
  type TransferPlace,
} from './runtime-script.ts'
export {
  hasBeenUp,
  intendedIn,
  isSettled,
  isUp,
  isVerb,
  type RecordState,
  recordStates,
  removesRecord,
  startsService,
  stopsService,
  type UnsettledState,
  type Verb,
  verbs,
  verbTraits,
  type VerbTraits,
  writesRecord,
} from './verbs.ts'
