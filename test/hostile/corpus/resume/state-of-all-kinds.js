// Whatever the language can hold across a restart, and the answer is the same.
// restarts: 2
// returns: {"generator":[1,2,3],"closure":3,"weak":"kept","private":2,"symbol":true,"date":true,"big":"36893488147419103232","order":["b","a"],"regexp":1,"getter":"got"}
class Counter {
  #n = 0;
  static #made = 0;
  constructor() {
    Counter.#made += 1;
  }
  up() {
    this.#n += 1;
    return this.#n;
  }
}
function* numbers() {
  try {
    yield 1;
    yield 2;
    yield 3;
  } finally {
    log("generator left");
  }
}
const generator = numbers();
const taken = [generator.next().value];
let closed = 0;
const up = () => (closed += 1);
up();
const key = {};
const weak = new WeakMap([[key, "kept"]]);
const counter = new Counter();
counter.up();
const symbol = Symbol.for("held");
const began = Date.now();
const order = new Map([["b", 1]]);
const regexp = /x/g;
regexp.exec("xx");
const odd = { get value() { return "got"; } };
await agents.run("hold restart one");
taken.push(generator.next().value);
up();
order.set("a", 2);
await agents.run("hold restart two");
taken.push(generator.next().value);
up();
return {
  generator: taken,
  closure: closed,
  weak: weak.get(key),
  private: counter.up(),
  symbol: Symbol.for("held") === symbol,
  date: Date.now() >= began,
  big: String(2n ** 65n),
  order: [...order.keys()],
  regexp: regexp.lastIndex,
  getter: odd.value,
};
