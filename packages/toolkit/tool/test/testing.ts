export { parseArguments } from '../src/parse-arguments.ts'
export { renderManPage } from '../src/render-man-page.ts'
export { type CallHere, type EndedHere, runHere } from './run-here.ts'
