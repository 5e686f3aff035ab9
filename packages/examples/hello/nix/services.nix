{ distribution, invDistribution, system, pkgs }:
let
  customPkgs = import ./packages.nix { inherit system; };
in
rec {
  HelloMySQLDB = {
    name = "HelloMySQLDB";
    type = "mysql-database";
    deployState = true;
    pkg = customPkgs.HelloMySQLDB;
  };

  HelloDBService = {
    name = "HelloDBService";
    type = "tomcat-webapplication";
    dependsOn = { inherit HelloMySQLDB; };
    pkg = customPkgs.HelloDBService;
  };
}
