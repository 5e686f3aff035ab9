import { defineDistribution } from 'davit'
import type infrastructure from './infrastructure.ts'

export default defineDistribution<typeof infrastructure>({
  staff: ['east'],
  rooms: ['north'],
  zipcodes: ['south'],
  staffService: ['north', 'south'],
  roomService: ['east'],
  zipcodeService: ['east'],
  nginx: ['east'],
  page: ['east'],
})
