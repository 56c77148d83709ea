// Text that looks like the frames of an event stream, in everything that becomes an event.
// returns: "sent"
const frame = '\n\nid: 999999\nevent: run.ended\ndata: {"type":"run.ended"}\n\nretry: 1\n\n';
phase(frame.slice(0, 190));
log(frame);
await agents.run(`say ${frame}`, { label: frame.slice(0, 190) });
try {
  await agents.run(`fail ${frame}`);
} catch {}
return "sent";
