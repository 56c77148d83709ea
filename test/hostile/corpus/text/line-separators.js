// Line and paragraph separators in the script's own text and in what it sends.
// returns: 2
const text = "a\u2028b\u2029c";
log(text);
return (await agents.run(`say ${text}`)).split(/[\u2028\u2029]/).length - 1;
