{ input }:
let
  inherit (builtins.fromJSON (builtins.readFile input)) table;
  numbers = table."a.b \"c\"";
in
{
  names = builtins.attrNames table;
  types = [ (builtins.typeOf table.__proto__) (map builtins.typeOf numbers) ];
  exact = [ (builtins.elemAt numbers 1 == 0.30000000000000004) (builtins.elemAt numbers 2 == 1.0e300) ];
}
