// Views of views: small objects over one buffer.
// ends: memory_limit | turn_timeout
const buffer = new ArrayBuffer(1024);
const all = [];
for (;;) all.push(new DataView(buffer), new Uint8Array(buffer).subarray(1));
