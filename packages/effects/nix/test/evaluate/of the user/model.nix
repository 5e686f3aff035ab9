# Each attribute fails in a different way.
{ port ? 80, ... }:
rec {
  undefined = let set = { alpha = 1; }; in set.alpah;
  several = let set = { alpha1 = 1; alpha2 = 2; or3 = 1; }; in set.alpha3;
  thrown = throw "no such database";
  aborted = abort "stop";
  added = [ (1 + "a") ];
  call = function { };
  function = { needed }: needed;
  imported = import ./broken.nix;
  absent = import ./nowhere.nix;
  endless = let again = n: again (n + 1) + 1; in again 1;
  recursive = recursive;
  unicode = "äöü" + 1;
  asserted = assert port == 81; port;
  problems = throw ''@davit-problems [{"message":"one","file":"${toString ./model.nix}","line":5,"column":3},{"message":"two","path":["services","web"],"hint":"do so"}]'';
}
