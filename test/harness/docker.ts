import { removeControlGroups } from '@davit/testing/control-groups'
import type { Host } from './hosts.ts'

/** An engine of Docker that runs on a host. */
export interface Engine {
  /** Names of all containers and tags of all images. */
  everything(): Promise<readonly string[]>
  /** Removes what it leaves on this machine, once the hosts are down. */
  remove(): void
}

/** A host sees no control groups: the engine mounts those of this machine, for itself, and keeps to one of its own. */
const ENGINE = `controllers=$(sed -n 's/^[1-9][0-9]*:\\([a-z_,]*\\):.*/\\1/p' /proc/self/cgroup)
if [ -z "$controllers" ]; then mount -t cgroup2 none /sys/fs/cgroup; else mount -t tmpfs none /sys/fs/cgroup; fi || exit
for name in $controllers; do
  mkdir "/sys/fs/cgroup/$name" && mount -t cgroup -o "$name" none "/sys/fs/cgroup/$name" || exit
done
exec dockerd --storage-driver vfs --iptables=false --ip6tables=false --bridge=none --cgroup-parent="/$1"`

const START = `setsid unshare --mount --propagation private sh -c "$1" sh "$2" >/var/log/docker.log 2>&1 </dev/null &
until docker version >/dev/null 2>&1; do
  kill -0 "$!" 2>/dev/null || { cat /var/log/docker.log >&2; exit 1; }
done`

/** Starts an engine on a host, without networks: containers have that of the host. */
export async function startEngine(host: Host): Promise<Engine> {
  const group = `davit-docker-${process.pid}-${host.name}-${Date.now()}`
  await host.sh(START, ENGINE, group)
  return {
    async everything() {
      const text = await host.sh(
        "docker ps -a --format '{{.Names}}' && docker image ls --format '{{.Repository}}:{{.Tag}}'",
      )
      return text.split('\n').filter((name) => name !== '')
    },
    remove: () => removeControlGroups(group),
  }
}

/** Shell lines that make `$1`, an archive of the image `$2` as that of \`docker save\`: of busybox, whose applets are in /bin. */
export const SAVE_IMAGE = `set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir -p "$directory/root/bin" "$directory/root/www"
cp /bin/busybox "$directory/root/bin"
for name in sh cat wget httpd; do ln -s busybox "$directory/root/bin/$name"; done
tar -C "$directory/root" -cf "$directory/layer.tar" .
digest=$(sha256sum <"$directory/layer.tar" | cut -c 1-64)
printf '{"architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \\
  "$(dpkg --print-architecture)" "$digest" >"$directory/config.json"
printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$2" >"$directory/manifest.json"
tar -C "$directory" -cf "$1" manifest.json config.json layer.tar`
