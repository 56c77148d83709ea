// The last messages of one session, so that a client whose stream was cut goes on behind the last one it saw.
// Bounded by count and size (L10): what is older is gone, and a client that asks for it is told so.

import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import { fault } from "../../contract/fault.ts";
import { MIB_BYTES } from "../../contract/limits.ts";

export const REPLAY_MESSAGES_MAX = 1_000;
export const REPLAY_CHARS_MAX = 8 * MIB_BYTES;

interface Kept {
  id: number;
  streamId: string;
  message: JSONRPCMessage;
  chars: number;
}

export function replayStore(): EventStore {
  const kept: Kept[] = [];
  let last = 0;
  let chars = 0;
  const find = (eventId: string): Kept | undefined => kept.find(({ id }) => String(id) === eventId);
  return {
    async storeEvent(streamId, message) {
      last += 1;
      const size = JSON.stringify(message).length;
      kept.push({ id: last, streamId, message, chars: size });
      chars += size;
      while (kept.length > REPLAY_MESSAGES_MAX || (chars > REPLAY_CHARS_MAX && kept.length > 1)) {
        chars -= kept.shift()?.chars ?? 0;
      }
      return String(last);
    },
    getStreamIdForEventId: async (eventId) => find(eventId)?.streamId,
    async replayEventsAfter(lastEventId, { send }) {
      const from = find(lastEventId);
      if (!from) throw fault("not_found", "The stream cannot go on there: that event is no longer kept.");
      for (const { id, streamId, message } of kept.filter((one) => one.id > from.id)) {
        // A stream that has been opened and has said nothing yet is kept as an empty message.
        if (streamId === from.streamId && Object.keys(message).length > 0) await send(String(id), message);
      }
      return from.streamId;
    },
  };
}
