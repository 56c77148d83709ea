// What this is, and what a plain function's this is.
// returns: [true,true,"undefined"]
function plain() {
  return this;
}
return [this === undefined || this === globalThis, plain() === undefined || plain() === globalThis, typeof arguments2];
