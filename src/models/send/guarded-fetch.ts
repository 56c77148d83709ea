// The one place that sends, and the only one that reads a key. Provider packages hold a placeholder; the key
// takes its place here, after the check that it belongs to this provider and this origin (B-017).

import { fault } from "../../contract/fault.ts";
import type { BoundKey } from "../resolve/route.ts";

/** What the provider packages are given for a key. */
export const KEY_PLACEHOLDER = "quickswarm-adds-the-key-when-sending";

export interface Destination {
  provider: string;
  origin: string;
  /** Undefined for a provider that needs none. */
  key: BoundKey | undefined;
}

/**
 * A fetch that sends to one origin with one key. Redirects are not followed: a key would go with them.
 * The returned function throws Fault `credential_refused`.
 */
export function guardedFetch(destination: Destination): typeof globalThis.fetch {
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origin !== destination.origin) {
      throw refused(`a request for ${destination.provider} would have gone to ${origin}, not to ${destination.origin}`);
    }
    checkKey(destination, origin);
    const headers = headersWithKey(new Headers(init?.headers), destination.key);
    const response = await fetch(input, { ...init, headers, redirect: "manual" });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw refused(
        `${destination.provider} at ${origin} answered with a redirect (${response.status}); none is followed`,
      );
    }
    return response;
  };
}

/** @throws Fault `credential_refused` */
function checkKey({ provider, key }: Destination, origin: string): void {
  if (!key) return;
  if (key.provider !== undefined && key.provider !== provider) {
    throw refused(`a key of ${key.provider} was to be sent to ${provider}`);
  }
  if (key.origin !== origin) throw refused(`a key that belongs to ${key.origin} was to be sent to ${origin}`);
}

function headersWithKey(given: Headers, key: BoundKey | undefined): Headers {
  const headers = new Headers(given);
  for (const [name, value] of given) {
    if (!value.includes(KEY_PLACEHOLDER)) continue;
    if (key)
      headers.set(
        name,
        value.replace(KEY_PLACEHOLDER, () => key.secret.reveal()),
      );
    else headers.delete(name);
  }
  return headers;
}

function refused(message: string) {
  return fault("credential_refused", `Refused before sending: ${message}.`);
}
