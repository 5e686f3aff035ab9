import { defineInfrastructure } from 'davit'

/** Two targets, both on this machine: `local` needs no SSH. */
export default defineInfrastructure({
  back: {
    properties: { hostname: 'localhost' },
    clientInterface: 'local',
    containers: { process: { dataDirectory: '/var/tmp/guestbook' } },
    numOfCores: 2,
  },
  front: {
    properties: { hostname: 'localhost' },
    clientInterface: 'local',
    containers: { process: {} },
    numOfCores: 2,
  },
})
