# Packages described in other languages: sources, builds with an sh script, and paths that are already in the store.
# A value of a build is a string, or the index of an earlier package.
{ input }:
let
  inherit (builtins) attrNames concatStringsSep elemAt fromJSON genList isString length listToAttrs map readFile toFile;

  made = map (spec: makers.${spec.kind} spec) (fromJSON (readFile input)).packages;

  makers = {
    source = { path, name, ... }: unbuilt "${builtins.path { path = /. + path; inherit name; }}";
    present = { path, ... }: unbuilt (builtins.appendContext path { ${path} = { path = true; }; });
    build = spec: built (derivation (buildOf spec));
  };

  unbuilt = out: { inherit out; drv = null; root = out; };

  built = package: rec {
    out = "${package}";
    drv = root;
    root = builtins.unsafeDiscardOutputDependency package.drvPath;
  };

  valueOf = value: if isString value then value else (elemAt made value).out;

  # Variables are passed under names that mean nothing to Nix; the launcher gives them their own names.
  buildOf = { name, system, script, variables, path, standardPath, parameters ? null, ... }:
    let
      all = variables // {
        LC_ALL = variables.LC_ALL or "C";
        SOURCE_DATE_EPOCH = variables.SOURCE_DATE_EPOCH or "1";
        DAVIT_SYSTEM = system;
        PATH = concatStringsSep ":" (map (index: "${valueOf index}/bin") path ++ [ standardPath ]);
      } // (if parameters == null then { } else { parametersFile = toFile "parameters.json" parameters; });
      names = attrNames all;
      passed = genList (index: "davit_value_${toString index}") (length names);
      numbers = genList (index: index) (length names);
      assign = index:
        "${elemAt names index}=$" + "${elemAt passed index}; export ${elemAt names index}; unset ${elemAt passed index}";
      launcher = [
        "umask 022"
        "unset name system builder outputs"
        "HOME=$NIX_BUILD_TOP; DAVIT_CORES=$NIX_BUILD_CORES; export HOME DAVIT_CORES"
      ] ++ map assign numbers ++ [ "exec /bin/sh -eu \"$0\"" ];
    in
    listToAttrs (map (index: { name = elemAt passed index; value = valueOf all.${elemAt names index}; }) numbers) // {
      inherit name system;
      builder = "/bin/sh";
      args = [ "-c" (concatStringsSep "\n" launcher) (toFile "${name}.sh" script) ];
    };
in
{
  packages = map ({ out, drv, ... }: { inherit out drv; }) made;
  roots = toFile "davit-roots" (concatStringsSep "\n" (map ({ root, ... }: root) made));
}
