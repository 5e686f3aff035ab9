# Pass other `ports` with `--extra-params` if the default ports are taken.
{ system, pkgs, distribution, invDistribution, ports ? { entries = 7001; api = 7002; page = 7003; } }:
let
  packages = import ./packages.nix { inherit system; };
in
rec {
  entries = {
    name = "entries";
    type = "process";
    port = ports.entries;
    pkg = packages.entries ports.entries;
  };
  api = {
    name = "api";
    type = "process";
    port = ports.api;
    dependsOn = { inherit entries; };
    pkg = packages.api ports.api;
  };
  page = {
    name = "page";
    type = "process";
    port = ports.page;
    dependsOn = { inherit api; };
    pkg = packages.page ports.page;
  };
}
