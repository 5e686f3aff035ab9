# Answers with the rows of a query, as rows of a table in HTML: serve.py PORT CLIENT HOST DATABASE.
# The query is in query.sql beside this file, and the account of the database in properties of the container.
import html
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer

port, client, host, database = sys.argv[1:]
user, password = os.environ["databaseUser"], os.environ["databasePassword"]
with open(os.path.join(os.path.dirname(__file__), "query.sql")) as file:
    query = file.read()

COMMANDS = {
    "psql": ["psql", "-XAtq", "-F", "\t", "-h", host, "-U", user, "-d", database, "-c", query],
    "mariadb": ["mariadb", "--default-character-set=utf8mb4", "-NB", "-h", host, "-u", user, "-e", query, database],
}
ENVIRONMENT = {**os.environ, "PGPASSWORD": password, "PGCONNECT_TIMEOUT": "5", "MYSQL_PWD": password}


def rows():
    found = subprocess.run(COMMANDS[client], env=ENVIRONMENT, capture_output=True, encoding="utf-8", check=True)
    return [line.split("\t") for line in found.stdout.splitlines()]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            status, text = 200, "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows())
        except subprocess.CalledProcessError as error:
            print(error.stderr, file=sys.stderr, flush=True)
            status, text = 502, f"<tr><td>The database {database} does not answer.</td></tr>\n"
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("", int(port)), Handler).serve_forever()
