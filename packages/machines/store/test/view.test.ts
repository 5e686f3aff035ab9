import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Bubblewrap, type Isolation, probeIsolation } from '@davit/isolation'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openNativeStore } from '../src/store.ts'
import { build } from './package-specs.ts'
import { failureOf, instantiated, leftovers, quietly, realised, temporaryStore, writeTree } from './temporary-store.ts'

const best = await probeIsolation(environment())
const program = best.kind === 'bubblewrap' ? best.program : ''
const ACCOUNTS = (best as Bubblewrap).account === undefined ? [undefined] : (['bound', undefined] as const)
const KINDS = ACCOUNTS.map((account): Isolation => {
  return { kind: 'bubblewrap', program, ...(account === undefined ? {} : { account }) }
})

describe.runIf(best.kind === 'bubblewrap').each(KINDS)('in the view of a build (%o)', (isolation) => {
  async function printed(script: string, extras: Parameters<typeof build>[2] = {}): Promise<string> {
    const store = await temporaryStore(isolation)
    const [pkg] = await realised(store, build('probe', `{ ${script}\n} >$out 2>&1 || :`, extras))
    return readFileSync(pkg!.outPath, 'utf8')
  }

  test('there is nothing but what programs need', async () => {
    const roots = await printed('ls -A /; echo; ls -A /etc')
    const [root = '', etc = ''] = roots.split('\n\n')
    const programs = ['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin', 'usr']
    const others = root.split('\n').filter((name) => !programs.includes(name))
    expect(others).toEqual(['dev', 'etc', 'proc', 'tmp', 'var'])
    expect(etc.split('\n')).toEqual(
      expect.arrayContaining(['alternatives', 'group', 'hosts', 'nsswitch.conf', 'passwd']),
    )
    for (const name of ['shadow', 'gshadow', 'ssh', 'hostname', 'machine-id', 'resolv.conf', 'environment', 'npmrc']) {
      expect(etc.split('\n')).not.toContain(name)
    }
    expect(await printed('cat /etc/passwd')).not.toContain('daemon')
  })

  test.each(['/opt', '/var/tmp', '/srv', '/'])('a key of the user below %s is not there', async (place) => {
    const directory = mkdtempSync(join(place, 'davit-view-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    chmodSync(directory, 0o755)
    writeFileSync(join(directory, 'key'), 'PRIVATE KEY')
    expect(await printed(`cat ${directory}/key; ls ${directory}`)).not.toMatch(/PRIVATE|^key$/m)
  })

  test('of the store there are the inputs alone, and of its hidden places nothing', async () => {
    const store = await temporaryStore(isolation)
    const [other, input] = [build('other', 'echo >$out'), build('input', 'echo >$out')]
    const [kept] = await realised(store, other)
    const script = `ls -A ${store.reference.directory} >list; mv list $out`
    const [pkg] = await realised(store, build('probe', script, { inputs: { input } }))
    const seen = readFileSync(pkg!.outPath, 'utf8').trim().split('\n')
    expect(seen.map((name) => name.slice(33))).toEqual(['input'])
    expect(seen).not.toContain(basename(kept!.outPath))
  })

  test('programs find what they need', async () => {
    const script = `
      echo 'int main(void) { return 0; }' >a.c; cc -o a a.c && ./a && echo cc
      python3 -c 'import ssl, subprocess, multiprocessing; multiprocessing.Lock(); print("python")'
      perl -MPOSIX -e 'print "perl\\n"'; git init -q x && echo git; awk 'BEGIN { print "awk" }'; id -un; echo hi >/dev/null
      printf 'all:\\n\\t@echo make\\n' >Makefile; make -s; date +%Z >/dev/null && mktemp >/dev/null && echo tmp; node -e 'console.log("node")'`
    const said = await printed(script)
    const there = ['cc', 'python', 'perl', 'git', 'awk', 'make', 'node'].filter((name) => {
      return spawnSync('sh', ['-c', `command -v ${name === 'python' ? 'python3' : name}`]).status === 0
    })
    expect(said.split('\n')).toEqual(expect.arrayContaining([...there, 'build', 'tmp']))
  })

  test.each([
    ['/tmp', '/tmp/fill'],
    ['/var/tmp', '/var/tmp/fill'],
    ['shared memory', '/dev/shm/fill'],
    ['its directory', '$HOME/fill'],
  ])('%s counts for the size limit', async (_, file) => {
    const store = await temporaryStore(isolation)
    const script = `for n in 1 2 3 4; do head -c 4000000 /dev/zero >${file}$n; done; sleep 60`
    expect(await failureOf(realised(store, build('web', script, { sizeLimitBytes: 10_000_000 })))).toMatch(
      /wrote more than 10 MB|status 153/,
    )
  })

  test('nothing else can be written, not even by mounting', async () => {
    const script = `
      for place in / /dev /etc /usr /proc /var /bin/ "$(dirname $parametersFile)"; do touch "$place/davit-x" && echo "wrote to $place"; done
      unshare -Ur true && echo user namespace; unshare -Urm mount -t tmpfs none /mnt && echo mounted
      python3 -c 'import ctypes; libc = ctypes.CDLL(None, use_errno=True); print("keyctl", libc.syscall(250, 0, -3, 0))'`
    const said = await printed(script, { parameters: '{}' })
    expect(said).not.toMatch(/^wrote|^user namespace|^mounted/m)
    expect(said).toMatch(/^keyctl -1$|python3: not found/m)
  })

  test('no process gets more memory, and there are no more processes, than the operator allows', async () => {
    const limited = { ...environment(), DAVIT_MEMORY_LIMIT: '200 MB', DAVIT_PROCESS_LIMIT: '40' }
    const store = await openNativeStore({
      directory: join(scratchDirectory(), 'store'),
      environment: limited,
      isolation,
    })
    const script = `
      perl -e '$x = "a" x 150_000_000; print "some\\n"; eval { $x = "a" x 400_000_000; print "more\\n" }' >$out || :
      perl -e 'for (1..100) { my $p = fork; last unless defined $p; if (!$p) { sleep 5; exit } $n++ } print "forked ", $n // 0, "\\n"' >>$out
      cat /proc/self/oom_score_adj >>$out; ulimit -H -c >>$out`
    const [pkg] = await realised(store, build('web', script))
    const said = readFileSync(pkg!.outPath, 'utf8')
    expect(said).not.toContain('more')
    expect(said).toMatch(/^1000\n0$/m)
    const forked = Number(/forked (\d+)/.exec(said)?.[1])
    // The kernel does not limit root as itself.
    expect(forked).toBeLessThan(isOwn(isolation) ? 40 : 101)
  })

  test('the network is that of the machine only on request, and then without unix sockets', async () => {
    const name = `davit-view-${process.pid}-${Math.floor(Math.random() * 1e9)}`
    const listener = spawn('python3', ['-c', LISTENER, name], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void listener.kill('SIGKILL'))
    let heard = ''
    listener.stdout.on('data', (data) => (heard += String(data)))
    await until(() => expect(heard).toContain('ready'))
    const script = `python3 -c '${CALLER}' ${name}`
    expect(await printed(script)).toMatch(/^stream refused\ndatagram refused\n/)
    const withIt = await printed(script, { network: true })
    expect(withIt).toBe('stream refused\ndatagram refused\npair refused\npair of streams works\nvsock refused\n')
    expect(heard).toBe('ready\n')
  })

  test('the environment is its own, and the account is none of the machine', async () => {
    const own = { ...environment(), DAVIT_CONNECT: '/tmp/davit-connect.x/socket', SSH_AUTH_SOCK: '/x', SECRET: 'yes' }
    const store = await openNativeStore({ directory: join(scratchDirectory(), 'store'), environment: own, isolation })
    const source = writeTree({ file: 'x' })
    const [pkg] = await realised(
      store,
      build('web', 'cat /proc/*/environ | tr "\\\\0" "\\\\n" >$out', { sources: { source } }),
    )
    const said = readFileSync(pkg!.outPath, 'utf8')
    expect(said).not.toMatch(/DAVIT_CONNECT|SSH_AUTH_SOCK|SECRET/)
  })

  test.runIf(isOwn(isolation))('each build runs as an account that nobody has', async () => {
    const store = await temporaryStore(isolation)
    const mark = `sleep 61.${Math.floor(Math.random() * 1e9)}`
    const packages = await instantiated(store, build('one', mark), build('other', mark))
    const stop = new AbortController()
    const work = store.realise(packages, { ...quietly(), signal: stop.signal })
    work.catch(() => {})
    await until(() => expect(accountsOf(mark).length).toBe(2))
    const [one = 0, other = 0] = accountsOf(mark)
    expect(modesIn(join(store.reference.directory, '.davit/incoming'))).toEqual([
      '711',
      '711',
      ...['build 700', 'files 755', 'shm 700', 'store 700', 'tmp 700'].flatMap((line) => [line, line]),
    ])
    expect([one >= 2_100_000_000, other >= 2_100_000_000, one === other]).toEqual([true, true, false])
    stop.abort(new Error('seen'))
    await expect(work).rejects.toThrow('seen')
    expect(leftovers(store)).toEqual([])
  })

  test('outputs belong to whom the store belongs to', async () => {
    const store = await temporaryStore(isolation)
    const [pkg] = await realised(store, build('web', 'mkdir -p $out/a; echo >$out/a/b; ln -s b $out/c'))
    const { stdout } = spawnSync('find', [pkg!.outPath, '-printf', '%U:%G\\n'], { encoding: 'utf8' })
    const { uid, gid } = lstatSync(store.reference.directory)
    expect(new Set(stdout.trim().split('\n'))).toEqual(new Set([`${uid}:${gid}`]))
  })

  test('programs of inputs start nothing outside', async () => {
    const outside = scratchDirectory()
    chmodSync(outside, 0o777)
    const names = ['sh', 'bwrap', 'setpriv', 'unshare', 'mount', 'env']
    const traps = names.map((name) => `printf '#!/bin/sh\\n: >${outside}/${name}\\n' >${name}`)
    const input = build('input', `mkdir -p $out/bin; cd $out/bin; ${traps.join('; ')}; chmod 755 *`)
    const store = await temporaryStore(isolation)
    await realised(store, build('web', 'echo >$out', { inputs: { input } }))
    expect(readdirSync(outside)).toEqual([])
  })

  test('a build has no terminal and no rights', async () => {
    const said = await printed(
      'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ps -o sid= -p $$; cut -d" " -f6 /proc/self/stat',
    )
    expect(said).toMatch(/CapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n/)
    // The session is one that began inside: one of outside would have the number 0 here.
    expect(said.trim().split('\n').at(-1)).not.toBe('0')
  })

  test('paths that the operator names are there, read-only', async () => {
    const directory = mkdtempSync('/opt/davit-named-')
    onTestFinished(() => rmSync(directory, { recursive: true }))
    chmodSync(directory, 0o755)
    mkdirSync(join(directory, 'bin'))
    writeFileSync(join(directory, 'bin/tool'), '#!/bin/sh\necho tool\n', { mode: 0o755 })
    const named = { ...environment(), DAVIT_BUILD_PATHS: directory }
    const store = await openNativeStore({ directory: join(scratchDirectory(), 'store'), environment: named, isolation })
    const [pkg] = await realised(
      store,
      build('web', `${directory}/bin/tool >$out; touch ${directory}/x || echo refused >>$out`),
    )
    expect(readFileSync(pkg!.outPath, 'utf8')).toBe('tool\nrefused\n')
  })
})

function isOwn(isolation: Isolation): boolean {
  return isolation.kind === 'bubblewrap' && isolation.account !== undefined
}

/** Permissions of workspaces, and of the directories in them, in order. */
function modesIn(incoming: string): readonly string[] {
  const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8)
  const workspaces = readdirSync(incoming).map((name) => join(incoming, name))
  const inside = workspaces.flatMap((path) => readdirSync(path).map((name) => `${name} ${mode(join(path, name))}`))
  return [...workspaces.map(mode), ...inside.toSorted()]
}

/** Numbers of the accounts of processes with exactly this command line. */
function accountsOf(command: string): readonly number[] {
  const { stdout } = spawnSync('ps', ['ax', '-o', 'uid=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [, uid, args] = /^ *(\d+) (.*)$/.exec(line) ?? []
    return args === command ? [Number(uid)] : []
  })
}

const LISTENER = `
import socket, sys, threading
name = chr(0) + sys.argv[1]
stream = socket.socket(socket.AF_UNIX); stream.bind(name); stream.listen(5)
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); datagrams.bind(name + "-d")
def take():
    stream.accept(); print("connected", flush=True)
def read():
    datagrams.recv(10); print("sent", flush=True)
for work in (take, read): threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()`

const CALLER = `
import socket, sys
name = chr(0) + sys.argv[1]
def attempt(what, work, good="reached"):
    try: work(); print(what, good)
    except OSError: print(what, "refused")
attempt("stream", lambda: socket.socket(socket.AF_UNIX).connect(name))
attempt("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", name + "-d"))
kept = []
def pair(*kind):
    kept.append(socket.socketpair(*kind))
    return kept[-1][0]
attempt("pair", lambda: pair(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", name + "-d"))
attempt("pair of streams", lambda: pair().send(b"x"), "works")
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK))`
