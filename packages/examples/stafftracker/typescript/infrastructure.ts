import { defineInfrastructure, secret } from 'davit'

/** The account in all database servers. Modules and programs get its password, which no document contains, from a file. */
const user = 'stafftracker'
const password = secret({ file: '../password' })

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
