// Types, decorators, casts and comments in places where blanking them out could move something.
// language: ts
// returns: [3,"a<b>(c)","ok"]
type Deep<T> = T extends (infer U)[] ? Deep<U> : T;
const f = <T,>(x: T): T => x;
const a = <const T>(x: T) => x as unknown as /* } */ T satisfies T;
declare const outside: number;
interface globalThis {
  agents: never;
}
const text = "a<b>(c)" as `${string}<${string}`;
abstract class A<in out T> {
  declare x: T;
  #y!: number;
  static z = 3 as const;
}
return [A.z!, a(f<string>(text)), typeof outside === "undefined" ? "ok" : outside];
