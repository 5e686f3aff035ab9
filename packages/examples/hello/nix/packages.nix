# Plain derivations without nixpkgs: they use the programs of the machine, so Nix must build without a sandbox.
{ system }:
{
  # The name of the package is that of the database.
  HelloMySQLDB = builtins.path { name = "HelloMySQLDB"; path = ../HelloMySQLDB; };

  # The package contains where the database is. When the database moves, it is another package, and so another version.
  HelloDBService = { HelloMySQLDB }:
    let
      inherit (HelloMySQLDB) name target;
    in
    derivation {
      name = "HelloDBService";
      inherit system;
      builder = "/bin/sh";
      args = [ "-eu" "-c" "PATH=/usr/bin:/bin; . \"$src/build.sh\"" ];
      src = ../HelloDBService;
      place = "${target.properties.hostname}:${toString target.container.port}/${name}";
    };
}
