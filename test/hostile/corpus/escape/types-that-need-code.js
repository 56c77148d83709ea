// TypeScript that is more than types.
// language: ts
// ends: script_syntax
enum Colour {
  Red = 1,
}
return Colour.Red;
