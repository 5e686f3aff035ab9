export { captureMachine } from './capture-machine.ts'
export type { Captured } from './captured.ts'
export { completedTarget, type CompletedTarget, givenTarget, type LeftOut } from './completed-target.ts'
export {
  attributesBeyond,
  INFRASTRUCTURE_LANGUAGES,
  type InfrastructureLanguage,
  writeInfrastructure,
} from './write-infrastructure.ts'
export { targetNameFor } from './target-name-for.ts'
