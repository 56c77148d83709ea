// A buffer that may grow to a terabyte.
// ends: memory_limit | script_error
const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 40 });
buffer.resize(2 ** 39);
return buffer.byteLength;
