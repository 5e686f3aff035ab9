# Plain derivations without nixpkgs: they use the programs of the machine, so Nix must build without a sandbox.
{ system }:
let
  # A program of the guestbook with its configuration, started by the module `process`; targets need Node.js.
  program = name: variables: derivation ({
    inherit name system;
    builder = "/bin/sh";
    args = [ "-e" "-c" "PATH=/usr/bin:/bin; . \"$install\"" ];
    program = ../programs + "/${name}.mjs";
    install = ../programs/install.sh;
  } // variables);

  addressOf = service: "http://${service.target.properties.hostname}:${toString service.port}";
in
{
  entries = port: program "entries" { inherit port; };
  api = port: { entries }: program "api" { inherit port; upstream = addressOf entries; };
  page = port: { api }: program "page" { inherit port; upstream = addressOf api; };
}
