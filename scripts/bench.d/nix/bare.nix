# The baseline for Nix alone: the same packages as with davit, and two derivations for each profile.
# The JSON file contains packages: name -> hosts of its dependencies; profiles: target -> { packages: names, archive }.
{ file, withProfiles }:

let
  system = builtins.fromJSON (builtins.readFile file);
  package = import ./package.nix builtins.currentSystem;
  packages = builtins.mapAttrs
    (name: hosts: package name (map (hostname: { target.properties = { inherit hostname; }; }) hosts))
    system.packages;

  manifest = name: contents: archive: derivation {
    name = "${name}-manifest";
    system = "builtin";
    builder = "builtin:unpack-channel";
    channelName = "profilemanifest.xml";
    src = builtins.toFile "profilemanifest.tar" archive;
    inputs = contents;
  };

  # The names differ from those of davit, so that davit's profiles are not used here.
  profile = name: { packages, archive }: contents:
    let all = [ (manifest name contents archive) ] ++ contents; in
    derivation {
      name = "bare-${name}";
      system = "builtin";
      builder = "builtin:buildenv";
      manifest = builtins.head all;
      derivations = builtins.genList (number: [ "true" (number + 1) 1 (builtins.elemAt all number) ]) (builtins.length all);
      preferLocalBuild = true;
      allowSubstitutes = false;
    };

  profiles = builtins.mapAttrs
    (name: profileOf: profile name profileOf (map (package: packages.${package}) profileOf.packages))
    system.profiles;
in
builtins.attrValues packages ++ (if withProfiles then builtins.attrValues profiles else [ ])
