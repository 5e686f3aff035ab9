import { defineInfrastructure } from 'davit'

/** The module logs in through the socket of the server; `port` is where the web application reaches the same server. */
const database = { 'mysql-database': { mysqlUsername: 'root', port: 3306 } }

export default defineInfrastructure({
  test1: {
    properties: { hostname: 'test1.example.org' },
    containers: { 'tomcat-webapplication': { port: 8080 } },
  },
  test2: { properties: { hostname: 'test2.example.org' }, containers: database },
  test3: { properties: { hostname: 'test3.example.org' }, containers: database },
})
