// A result with an own key __proto__ stays that.
// returns: {"kept":["__proto__"]}
const result = JSON.parse('{"__proto__":{"a":1}}');
return { kept: Object.keys(JSON.parse(JSON.stringify(result))) };
