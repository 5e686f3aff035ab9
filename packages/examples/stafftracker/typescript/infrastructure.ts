import { defineInfrastructure } from 'davit'

/** The account in all database servers. */
const [user, password] = ['stafftracker', 'change-me']

const process = { databaseUser: user, databasePassword: password }
const mariadb = { mysqlUsername: user, mysqlPassword: password }
const postgresql = { postgresqlUsername: user, postgresqlPassword: password }

export default defineInfrastructure({
  north: {
    properties: { hostname: 'test1.example.org' },
    containers: { process, 'mysql-database': mariadb },
    numOfCores: 2,
  },
  south: {
    properties: { hostname: 'test2.example.org' },
    containers: { process, 'mysql-database': mariadb },
    numOfCores: 2,
  },
  east: {
    properties: { hostname: 'test3.example.org' },
    containers: { process, 'postgresql-database': postgresql },
    numOfCores: 2,
  },
})
