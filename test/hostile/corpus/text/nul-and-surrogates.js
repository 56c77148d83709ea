// NUL, half surrogates, the byte order mark and every control character, there and back.
// returns: [true,true]
const text = `say ${Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("")}\ufeff\ud800\udfff\ud83d\ude00\u007f\u0085`;
const answer = await agents.run(text, { label: text.slice(4, 60) });
return [answer === text.slice(4), answer.length === text.length - 4];
