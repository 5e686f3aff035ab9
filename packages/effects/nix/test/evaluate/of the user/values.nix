{ port ? 80, ... }:
{
  context = builtins.getContext "${derivation { name = "x"; system = "x86_64-linux"; builder = "/bin/sh"; }}";
  imported = import (derivation {
    name = "built.nix";
    system = builtins.currentSystem;
    builder = "/bin/sh";
    args = [ "-c" "echo '[ 1 2 ]' > $out" ];
  });
  traced = builtins.trace "seen ${toString port}" port;
}
